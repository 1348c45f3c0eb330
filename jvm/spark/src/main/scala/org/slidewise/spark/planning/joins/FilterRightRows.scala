package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.optimizer.ColumnPruning
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.RowsOfFrame
import org.slidewise.spark.plan.{FramedAggregate, RowValue, WindowJoin, WindowKeys}

/**
 * Drops right rows that no left row of a [[WindowJoin]] can reach, where the left side is small: rows before the least lower bound,
 * after the greatest upper bound, or with keys that a Bloom filter of the left keys does not hold. The bounds are scalar
 * subqueries, which Spark pushes to the readers of files.
 *
 * Reads the left side twice, so it has to be a scan with filters and projections.
 */
object FilterRightRows extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case join: WindowJoin if isWorthIt(join) => join.copy(right = filtered(join))
  }

  private def isWorthIt(join: WindowJoin): Boolean = isCheap(join.left) && {
    val ratio = SlidewiseSettings.windowJoinFilterRatio(conf)
    val (left, right) = (join.left.stats.sizeInBytes, join.right.stats.sizeInBytes)
    ratio == 0 || left <= conf.runtimeFilterCreationSideThreshold && right >= left * ratio
  }

  private def isCheap(plan: LogicalPlan): Boolean = plan match {
    case Project(columns, child)  => columns.forall(FramedSubquery.isPlain) && isCheap(child)
    case Filter(condition, child) => FramedSubquery.isPlain(condition) && isCheap(child)
    case leaf: LeafNode           => !leaf.isStreaming
    case _                        => false
  }

  private def filtered(join: WindowJoin): LogicalPlan = {
    val frames = join.calls.collect { case framed: FramedAggregate => framed }
    val conditions =
      limit(join, frames.map(_.lower), Least(_), RowsOfFrame.min(_), GreaterThanOrEqual(join.time, _)) ++
        limit(join, frames.map(_.upper), Greatest(_), RowsOfFrame.max(_), LessThanOrEqual(join.time, _)) ++
        keys(join)
    conditions.reduceOption[Expression](And).fold(join.right)(Filter(_, join.right))
  }

  /** The condition that a time is within the outermost of the bounds; none if a frame has no bound there. */
  private def limit(
      join: WindowJoin,
      bounds: Seq[Option[RowValue]],
      outermost: Seq[Expression] => Expression,
      ofAll: Expression => AggregateFunction,
      condition: Expression => Expression
  ): Option[Expression] =
    if (!bounds.forall(_.isDefined)) None
    else {
      val values = ExpressionSet(bounds.flatten.map(_.child)).toSeq
      val value = if (values.size == 1) values.head else outermost(values)
      Some(condition(overLeft(join, ofAll(value), IsNotNull(value))))
    }

  private def keys(join: WindowJoin): Option[Expression] =
    if (join.leftKeys.isEmpty || !WindowKeys.haveBytes(join.leftKeys)) None
    else {
      def hash(keys: Seq[Expression]) = new XxHash64(WindowKeys.asBytes(keys))
      val known = join.leftKeys.map(key => IsNotNull(key): Expression).reduce(And)
      val bloom = overLeft(join, RowsOfFrame.bloomFilter(hash(join.leftKeys)), known)
      Some(BloomFilterMightContain(bloom, hash(join.rightKeys)))
    }

  /**
   * The aggregate of the left rows for which `condition` is true. The conditions differ, because Spark merges subqueries that do
   * not, and then pushes their values to no reader of files.
   */
  private def overLeft(join: WindowJoin, function: AggregateFunction, condition: Expression): Expression = {
    val result = Alias(function.toAggregateExpression(), "_reach")()
    ScalarSubquery(ColumnPruning(Aggregate(Nil, Seq(result), Filter(condition, join.left))))
  }
}
