package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.optimizer.ColumnPruning
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, InMemoryFileIndex, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.V2ScanRelationPushDown
import org.apache.spark.sql.types._

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.{
  BlockedBloomFilter,
  BlockedBloomFilterAggregate,
  BlockedBloomFilterMightContain,
  RowsOfFrame,
  ValueOrNull
}
import org.slidewise.spark.plan._
import org.slidewise.spark.shims.SparkExpressions

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
    val reaches =
      limit(frames.map(_.lower), Least(_), BoundLimit.least).map { bound =>
        Reach(RowsOfFrame.min(bound), None, GreaterThanOrEqual(join.time, _))
      } ++
        limit(frames.map(_.upper), Greatest(_), BoundLimit.greatest).map { bound =>
          Reach(RowsOfFrame.max(bound), None, LessThanOrEqual(join.time, _))
        } ++ keys(join)
    conditions(join.left, reaches.toSeq).reduceOption[Expression](And).fold(join.right)(Filter(_, join.right))
  }

  /**
   * The outermost of the bounds on one side; none if a frame has no bound on this side.
   *
   * @param beyond
   *   the outermost value of a type, which replaces a bound that fails
   */
  private def limit(
      bounds: Seq[Option[RowValue]],
      outermost: Seq[Expression] => Expression,
      beyond: DataType => Option[Literal]
  ): Option[Expression] = {
    val values = ExpressionSet(bounds.flatten.map(_.child)).toSeq
    val known = values.flatMap(BoundLimit.ofEach(_, beyond))
    if (!bounds.forall(_.isDefined) || known.size < values.size) None
    else Some(if (known.size == 1) known.head else outermost(known))
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
      // Spark's rules that create table scans do not visit subqueries.
      val aggregate = inOneTask(V2ScanRelationPushDown(ColumnPruning(Aggregate(Nil, Seq(together), left))))
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

/** The limit that the bound of a left row sets to right rows. */
private object BoundLimit {

  /**
   * The bound, or the outermost value where the bound fails. A bound that fails is an error only if right rows are within the other
   * bound. A bound that may have a value though one of its inputs is null, such as coalesce, also has the outermost value where it is
   * null. None if the type has no such value.
   */
  def ofEach(bound: Expression, beyond: DataType => Option[Literal]): Option[Expression] = bound match {
    case total if TotalBound.isTotal(total)                                             => Some(total)
    case If(condition, value, none @ Literal(null, _)) if TotalBound.isTotal(condition) =>
      ofEach(value, beyond).map(If(condition, _, none))
    case _ =>
      beyond(bound.dataType).map { outermost =>
        val value = Coalesce(Seq(ValueOrNull(bound), outermost))
        val known = bound.references.toSeq.map(IsNotNull(_): Expression).reduceOption(And)
        known
          .filter(_ => isNullForNulls(bound))
          .fold[Expression](value)(If(_, value, Literal(null, bound.dataType)))
      }
  }

  /** Whether the value is null if one of the columns is. */
  private def isNullForNulls(e: Expression): Boolean = {
    val passesNulls = e match {
      case _: Attribute | _: Literal | _: Cast | _: BinaryArithmetic | _: UnaryMinus       => true
      case _: DateAdd | _: DateSub | _: AddMonthsBase | _: MovedTimestamp | _: SolvedBound => true
      case _: UnixTime | _: TimestampToLongBase                                            => true
      case other => SparkExpressions.movedTimestamp(other).isDefined
    }
    passesNulls && e.children.forall(isNullForNulls)
  }

  def least(dataType: DataType): Option[Literal] = ends(dataType).map(_._1)
  def greatest(dataType: DataType): Option[Literal] = ends(dataType).map(_._2)

  private def ends(dataType: DataType): Option[(Literal, Literal)] = {
    def both(least: Any, greatest: Any) = Some((Literal(least, dataType), Literal(greatest, dataType)))
    dataType match {
      case whole if ExactArithmetic.isWhole(whole) =>
        val (least, greatest) = FrameOffset.range(whole)
        both(FrameOffset.valueOf(least, whole), FrameOffset.valueOf(greatest, whole))
      case FloatType            => both(Float.NegativeInfinity, Float.NaN)
      case DoubleType           => both(Double.NegativeInfinity, Double.NaN)
      case decimal: DecimalType =>
        val digits = BigDecimal(BigInt(10).pow(decimal.precision) - 1, decimal.scale)
        both(
          Decimal(-digits, decimal.precision, decimal.scale),
          Decimal(digits, decimal.precision, decimal.scale)
        )
      case _ => None
    }
  }
}
