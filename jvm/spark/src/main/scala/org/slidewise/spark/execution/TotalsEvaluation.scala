package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.execution.surroundings.PartialAggregate
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.SlidingWindowPlan

/** Evaluates a plan whose frames are whole partitions, from the partial aggregate of each partition instead of its rows. */
final private[execution] class TotalsEvaluation(plan: SlidingWindowPlan, input: Seq[Attribute]) {

  private val stages = plan.arrays match {
    case None         => Seq(new RowWisePipeline(plan, plan.rowWise, input))
    case Some(arrays) =>
      val first = new RowWisePipeline(plan, arrays.fallback, input)
      if (plan.rowWise.isEmpty) Seq(first)
      else Seq(first, new RowWisePipeline(plan, plan.rowWise, input ++ arrays.results))
  }

  /** The types of the results. */
  val types: Seq[DataType] = plan.expressions.map(_.expression.dataType)

  /**
   * Returns a row of results for each partition. Memory: one row for each partition.
   *
   * @param totals
   *   the partial aggregates of the partitions, none of which is empty
   */
  def results(task: WindowTask, totals: Seq[PartialAggregate]): Array[UnsafeRow] = {
    val evaluated = stages.map(_.ofTotals(task))
    val together = UnsafeProjection.create(types.toArray)
    val joined = new JoinedRow
    totals.map { total =>
      val parts = evaluated.map(_(total))
      (if (parts.size == 1) parts.head else together(joined(parts.head, parts.last))).copy()
    }.toArray
  }
}
