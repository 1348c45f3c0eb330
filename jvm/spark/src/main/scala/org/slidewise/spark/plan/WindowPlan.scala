package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * The decision of planning on the window expressions of one logical `Window`, made once. It says which of them Slidewise
 * evaluates, and why Spark's operator evaluates the others.
 *
 * A tag carries it from the logical plan to `slidewise.explain`. Each [[SlidingWindowPlan]] is carried by its operator.
 *
 * @param operator
 *   the plan of Slidewise's operator; none if Spark's operator evaluates all expressions
 */
final case class WindowPlan(operator: Option[SlidingWindowPlan], bySpark: Seq[EvaluatedBySpark])

object WindowPlan {
  val Tag: TreeNodeTag[WindowPlan] = TreeNodeTag[WindowPlan]("slidewise.windowPlan")
}

/**
 * A window expression that Spark's operator evaluates.
 *
 * @param reason
 *   the reason, for a person to read
 */
final case class EvaluatedBySpark(expression: NamedExpression, reason: String)

/**
 * A window expression that Slidewise evaluates.
 *
 * @param note
 *   a note on the method for a person to read, such as why it saves nothing here
 * @param reach
 *   the distances from a row to the rows that the expression reads
 */
final case class PlannedExpression(
    expression: NamedExpression,
    method: EvaluationMethod,
    note: Option[String],
    reach: FrameReach
)

/** The operator that brings the rows into the window's order, if any does. */
sealed trait SortPlacement

object SortPlacement {

  /** Spark sorts below the operator, unless the rows come in order. */
  case object BelowOperator extends SortPlacement

  /** The operator sorts by radix, unless the rows come in order. */
  case object InOperator extends SortPlacement

  /** Usually no sort: the operator groups the rows of a partition by hash. Rows that come in order stay so. */
  case object Unneeded extends SortPlacement
}

/**
 * The plan by which rows come into the window's order.
 *
 * @param order
 *   the order by which the operator sorts each partition, if it sorts; begins with the window's order
 * @param radixInSpark
 *   whether Spark sorts by radix where it can, which determines the order in which it leaves ties
 */
final case class SortPlan(placement: SortPlacement, order: Seq[SortOrder], radixInSpark: Boolean)

/** The partitions and the order of a window. */
final case class PlannedSpec(partition: Seq[Expression], order: Seq[SortOrder])

/**
 * The plan of one operator that evaluates window expressions: an immutable value that planning makes once and that EXPLAIN,
 * `slidewise.explain`, the metrics and the tasks read. The same type describes windows over tables and over streams.
 *
 * @param expressions
 *   each window expression with its method; the expressions of `arrays` come first
 * @param arrays
 *   the plan of the expressions that kernels over arrays evaluate; none if there are none
 * @param rowWise
 *   the plan of the other expressions
 * @param constantInSpark
 *   whether Spark, too, needs constant time a row for all expressions, once the rows are in order
 * @param maxStateBytes
 *   memory limit for cached partial aggregates of one frame in a task
 * @param oneTask
 *   the reason why one task evaluates all rows of a window without partition keys, for a person to read
 */
final case class SlidingWindowPlan(
    expressions: Seq[PlannedExpression],
    spec: PlannedSpec,
    arrays: Option[ArrayPlan],
    rowWise: RowWisePlan,
    sort: SortPlan,
    constantInSpark: Boolean,
    maxStateBytes: Long,
    oneTask: Option[String] = None
) {
  def partitionSpec: Seq[Expression] = spec.partition
  def orderSpec: Seq[SortOrder] = spec.order
  def sortPlacement: SortPlacement = sort.placement
  def sortOrder: Seq[SortOrder] = sort.order

  /** The frames of all expressions, as row-wise evaluation has them. */
  def frames: Seq[FramePlan] = arrays.toSeq.flatMap(_.fallback.frames) ++ rowWise.frames

  /** The same plan, but the operator sorts rows that it would otherwise group by hash. */
  def inOrder: SlidingWindowPlan =
    if (sortPlacement == SortPlacement.Unneeded) copy(sort = sort.copy(placement = SortPlacement.InOperator))
    else this

  /** Whether the frame of each row is its whole partition, whose rows are in no order. */
  def isOfWholePartitions: Boolean = sortOrder.isEmpty && frames.forall(_.frame == Frame.Partition)

  /** Whether the frame of each row is the whole table, whose rows are in no order. */
  def isWholeTable: Boolean = partitionSpec.isEmpty && isOfWholePartitions

  /** The order of a window over a stream, which has one event-time column. */
  def eventTimeOrder: SortOrder = orderSpec.head

  /**
   * The plan without its expressions, for canonicalization. Spark compares the expressions as fields of the operator.
   *
   * @param normalize
   *   replaces attributes by their places in the input
   */
  def canonical(normalize: SortOrder => SortOrder): SlidingWindowPlan =
    copy(
      expressions = Nil,
      spec = spec.copy(partition = Nil, order = Nil),
      arrays = None,
      rowWise = RowWisePlan.Empty,
      sort = sort.copy(order = sortOrder.map(normalize))
    )

  /** The evaluation methods, each once; shown first in EXPLAIN. */
  def methods: Seq[EvaluationMethod] = expressions.map(_.method).distinct

  /** The methods that evaluate expressions row by row where the array kernels cannot; empty if none are used. */
  def fallback: Seq[EvaluationMethod] = arrays.toSeq.flatMap(_.fallback.methods)
}

object OneTask {

  /** The reason that `slidewise.explain` omits, since more tasks would not help. */
  val FewRows = "there are too few rows for several"
}
