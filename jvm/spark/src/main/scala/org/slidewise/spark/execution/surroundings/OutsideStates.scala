package org.slidewise.spark.execution.surroundings

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.plan.PlannedAggregate

/** The rows outside on one side, for evaluators of frames row by row. */
final private[execution] class OutsideStates(functions: OutsideFunctions, outside: Outside) {

  /**
   * Writes the states of the aggregates into their fields of `state`, side by side. Leaves the fields of ranks, and of functions
   * that need no rows outside.
   */
  def writeTo(state: InternalRow, aggregates: Seq[PlannedAggregate]): Unit = {
    val decoded = functions.stateOf(outside) // anew, since the state takes its objects
    aggregates.foldLeft(0) { (field, aggregate) =>
      if (OutsideFunctions.countsRows(aggregate)) state.setLong(field, outside.rows)
      else if (decoded.isDefined) copy(aggregate, decoded.get, state, field)
      field + aggregate.function.aggBufferAttributes.size
    }
  }

  private def copy(aggregate: PlannedAggregate, from: InternalRow, to: InternalRow, firstField: Int): Unit =
    functions.fieldOf(aggregate).foreach { source =>
      aggregate.function.aggBufferAttributes.zipWithIndex.foreach { case (attribute, i) =>
        val dataType = attribute.dataType
        if (from.isNullAt(source + i)) to.setNullAt(firstField + i)
        else InternalRow.getWriter(firstField + i, dataType)(to, from.get(source + i, dataType))
      }
    }

  /** Adds to the ranks among the answers. */
  def addTo(answers: InternalRow, aggregates: Seq[PlannedAggregate]): Unit = aggregates.foreach { aggregate =>
    val more = OutsideFunctions.ranksBefore(aggregate.function, outside)
    if (more != 0L)
      answers.setInt(aggregate.answer, Math.toIntExact(answers.getInt(aggregate.answer) + more))
  }
}
