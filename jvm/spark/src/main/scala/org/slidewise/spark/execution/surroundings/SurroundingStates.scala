package org.slidewise.spark.execution.surroundings

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.plan.{PlannedAggregate, UnboundedFunctions}

/** The aggregation buffers of the rows before or after a task's own rows, for row-wise evaluation. */
final private[execution] class SurroundingStates(functions: SurroundingFunctions, rows: PartialAggregate) {

  /** The number of rows. */
  def count: Long = rows.rows

  /**
   * Writes the states of the aggregates into their fields of `state`, side by side. Does not change the fields of ranks, or of
   * functions that need no surrounding rows.
   */
  def writeTo(state: InternalRow, aggregates: Seq[PlannedAggregate]): Unit =
    aggregates.foldLeft(0) { (field, aggregate) =>
      if (UnboundedFunctions.countsRows(aggregate)) state.setLong(field, rows.rows)
      else copyState(aggregate, state, field)
      field + aggregate.function.aggBufferAttributes.size
    }: Unit

  /** Decodes the state anew each time, since a function may change the objects of its state. */
  private def copyState(aggregate: PlannedAggregate, to: InternalRow, firstField: Int): Unit =
    for {
      source <- functions.fieldOf(aggregate)
      from <- functions.stateOf(rows)
      (attribute, i) <- aggregate.function.aggBufferAttributes.zipWithIndex
    } {
      val dataType = attribute.dataType
      if (from.isNullAt(source + i)) to.setNullAt(firstField + i)
      else InternalRow.getWriter(firstField + i, dataType)(to, from.get(source + i, dataType))
    }

  /** Increases the ranks among the answers by `SurroundingFunctions.ranksBefore`. */
  def addTo(answers: InternalRow, aggregates: Seq[PlannedAggregate]): Unit = aggregates.foreach { aggregate =>
    val more = SurroundingFunctions.ranksBefore(aggregate, rows)
    if (more != 0L)
      answers.setInt(aggregate.answer, Math.toIntExact(answers.getInt(aggregate.answer) + more))
  }
}
