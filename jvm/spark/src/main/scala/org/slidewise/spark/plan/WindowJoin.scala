package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * The rows of `left`, each with aggregates of the rows of `right` that have the same keys, and a time between two values of the
 * left row. Returns each left row once.
 *
 * @param leftKeys
 *   the keys of a left row. A row with a null among them has no right rows
 * @param rightKeys
 *   the keys of a right row, of the same types. None is null
 * @param order
 *   the order of right rows: their time, which is not null, and the order of those that have the same time
 * @param calls
 *   the aggregates
 * @param results
 *   the columns of the aggregates, apart from `calls` because Spark's rules drop aliases in nodes of other projects
 * @param times
 *   the number of equal left rows that a row stands for, a long; the aggregates read each right row as often. None for one
 */
final case class WindowJoin(
    left: LogicalPlan,
    right: LogicalPlan,
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    order: Seq[SortOrder],
    calls: Seq[Expression],
    results: Seq[Attribute],
    times: Option[Expression] = None
) extends BinaryNode {

  override lazy val output: Seq[Attribute] = left.output ++ results

  /** The time of a right row. */
  def time: Expression = order.head.child

  override def producedAttributes: AttributeSet = AttributeSet(results)

  /** The aggregates with their names. */
  def named: Seq[Alias] = calls.zip(results).map { case (call, result) =>
    Alias(call, result.name)(result.exprId)
  }

  /** The same join with the calls for whose result `isKept` is true. */
  def keeping(isKept: Attribute => Boolean): WindowJoin = {
    val (left, kept) = calls.zip(results).filter { case (_, result) => isKept(result) }.unzip
    copy(calls = left, results = kept)
  }
  override def maxRows: Option[Long] = left.maxRows
  override def maxRowsPerPartition: Option[Long] = left.maxRowsPerPartition

  override def stats: Statistics = {
    def width(attributes: Seq[Attribute]) = 8 + attributes.map(_.dataType.defaultSize).sum
    val ofLeft = left.stats
    ofLeft.copy(
      sizeInBytes = ofLeft.sizeInBytes * width(output) / width(left.output),
      attributeStats = AttributeMap.empty
    )
  }

  override protected def withNewChildrenInternal(newLeft: LogicalPlan, newRight: LogicalPlan): WindowJoin =
    copy(left = newLeft, right = newRight)
}
