package org.slidewise.spark.execution.streams.hopping

import org.slidewise.spark.execution.streams.{StoredColumns, StoredFunction, StoredState}
import org.slidewise.spark.plan.{AggregationIdentity, HoppingWindowPlan, HoppingWindows, Identity}

/**
 * The description of hopping windows over a stream that their checkpoint records.
 *
 * @param keys
 *   the grouping expressions of the query, with the window
 * @param keyTypes
 *   the types of the columns of the state's key, apart from the pane
 * @param functions
 *   the aggregate functions, in the order of their buffers
 * @param complete
 *   whether the output mode is complete, in which no pane is removed
 */
final private[streams] case class StoredHopping(
    windows: HoppingWindows,
    keys: Seq[Identity],
    keyTypes: Seq[String],
    functions: Seq[StoredFunction],
    complete: Boolean
) extends StoredState {

  override def canonical: String = Seq(
    windows.productIterator.mkString("window(", ",", ")"),
    keys.map(_.canonical).mkString(", "),
    keyTypes.mkString(", "),
    functions.map(_.identity).mkString(", "),
    s"complete=$complete"
  ).mkString(" | ")

  override def toString: String = {
    val HoppingWindows(size, slide, offset) = windows
    s"${functions.map(_.sql).mkString(", ")} GROUP BY ${keys.map(_.sql).mkString(", ")} " +
      s"WITH windows of $size µs every $slide µs from $offset µs${if (complete) " IN COMPLETE MODE" else ""}"
  }
}

private[hopping] object StoredHopping {

  /**
   * @param identity
   *   the identity of the aggregation in the query
   */
  def of(plan: HoppingWindowPlan, identity: AggregationIdentity, complete: Boolean): StoredHopping = {
    val columns = new StoredColumns(_ => None)
    StoredHopping(
      plan.windows,
      identity.keys,
      plan.keys.map(columns.input(_).storedType),
      plan.aggregates.zip(plan.functions).map { case (aggregate, function) =>
        columns.stored(identity.functions(aggregate.resultId), part = 0, function)
      },
      complete
    )
  }
}
