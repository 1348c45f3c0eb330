package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.optimizer.{ColumnPruning, ReplaceUpdateFieldsExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PYTHON_UDF
import org.apache.spark.sql.execution.LogicalRDD
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, InMemoryFileIndex, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.{
  BlockedBloomFilter,
  BlockedBloomFilterAggregate,
  BlockedBloomFilterMightContain,
  RowsOfFrame
}
import org.slidewise.spark.plan._

/**
 * Drops right rows that no left row of a [[WindowJoin]] can reach, where the left side is small: rows before the least lower bound,
 * after the greatest upper bound, or with keys that a Bloom filter of the left keys does not hold. The bounds are scalar
 * subqueries, which Spark pushes to the readers of files.
 *
 * Reads the left side once more, so the left side must be a scan with filters and projections.
 */
object FilterRightRows extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case join: WindowJoin if isWorthIt(join) => join.copy(right = filtered(join))
  }

  private def isWorthIt(join: WindowJoin): Boolean = isCheap(join.left) && !callsPython(join) && {
    val ratio = SlidewiseSettings.windowJoinFilterRatio(conf)
    val (left, right) = (join.left.stats.sizeInBytes, join.right.stats.sizeInBytes)
    ratio == 0 || left <= conf.runtimeFilterCreationSideThreshold && right >= left * ratio
  }

  private def isCheap(plan: LogicalPlan): Boolean = plan match {
    case Project(columns, child)  => columns.forall(FramedSubquery.isPlain) && isCheap(child)
    case Filter(condition, child) => FramedSubquery.isPlain(condition) && isCheap(child)
    case _: LogicalRDD            => false // whose lineage may be long
    case leaf: LeafNode           => !leaf.isStreaming
    case _                        => false
  }

  // Spark extracts functions in Python after this rule, and not from subqueries.
  private def callsPython(join: WindowJoin): Boolean =
    join.left.containsPattern(PYTHON_UDF) || join.expressions.exists(_.containsPattern(PYTHON_UDF))

  private def filtered(join: WindowJoin): LogicalPlan = {
    val reaches =
      BoundLimit.lowest(join).map { bound =>
        Reach(RowsOfFrame.min(bound), None, GreaterThanOrEqual(join.time, _))
      } ++
        BoundLimit.highest(join).map { bound =>
          Reach(RowsOfFrame.max(bound), None, LessThanOrEqual(join.time, _))
        } ++ keys(join)
    conditions(join.left, reaches.toSeq).reduceOption[Expression](And).fold(join.right)(Filter(_, join.right))
  }

  private def keys(join: WindowJoin): Option[Reach] =
    if (join.leftKeys.isEmpty || !WindowKeys.haveBytes(join.leftKeys)) None
    else {
      def hash(keys: Seq[Expression]) = new XxHash64(WindowKeys.asBytes(keys))
      val known = join.leftKeys.map(key => IsNotNull(key): Expression).reduce(And)
      val filter =
        BlockedBloomFilterAggregate(hash(join.leftKeys), BlockedBloomFilter.words(mostRows(join.left)))
      Some(Reach(filter, Some(known), BlockedBloomFilterMightContain(_, hash(join.rightKeys))))
    }

  /** The number of rows; if it is unknown, a likely upper bound. */
  private def mostRows(plan: LogicalPlan): Long = {
    val stats = plan.stats
    stats.rowCount.getOrElse(stats.sizeInBytes / LeastBytesOfRow).min(Long.MaxValue).toLong
  }

  private val LeastBytesOfRow = 4

  /**
   * The conditions on right rows. One subquery aggregates the left rows. Another subquery for each value reads the value from there.
   * Spark pushes the value of a subquery to the readers of files, but not a field of it.
   */
  private def conditions(left: LogicalPlan, reaches: Seq[Reach]): Seq[Expression] =
    if (reaches.isEmpty) Nil
    else {
      val values =
        reaches.map(reach => reach.function.toAggregateExpression(isDistinct = false, reach.filter))
      val together = Alias(CreateStruct(values), "_reach")()
      // Spark's later rules do not visit subqueries.
      val aggregate = inOneTask(
        ReplaceUpdateFieldsExpression(
          V2ScanRelationPushDown(ColumnPruning(Aggregate(Nil, Seq(together), left)))
        )
      )
      reaches.zipWithIndex.map { case (reach, i) =>
        val value = GetStructField(ScalarSubquery(aggregate), i)
        val result = AttributeReference("_value", value.dataType, value.nullable)()
        reach.condition(ScalarSubquery(DriverValue(value, result)))
      }
    }

  /** The aggregate of a few small files in one task, which saves the shuffle of its partial results. */
  private def inOneTask(plan: LogicalPlan): LogicalPlan = plan match {
    case aggregate: Aggregate if hasFewFiles(aggregate.child) =>
      aggregate.copy(child = Repartition(1, shuffle = false, aggregate.child))
    case other => other
  }

  private def hasFewFiles(plan: LogicalPlan): Boolean =
    plan.stats.sizeInBytes <= conf.runtimeFilterCreationSideThreshold && plan.collectLeaves().forall {
      case leaf: LogicalRelation =>
        leaf.relation match {
          case files: HadoopFsRelation =>
            files.location.isInstanceOf[InMemoryFileIndex] && files.location.inputFiles.length <= FewFiles
          case _ => false
        }
      case _ => false
    }

  private val FewFiles = 4

  /**
   * An aggregate of the left rows, and the condition that its value sets for right rows.
   *
   * @param filter
   *   the condition on the left rows to aggregate
   * @param condition
   *   the condition on a right row, given the value of the function
   */
  final private case class Reach(
      function: AggregateFunction,
      filter: Option[Expression],
      condition: Expression => Expression
  )
}
