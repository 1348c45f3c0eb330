package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * What planning decided for the window expressions of one logical `Window`, once: which of them Slidewise evaluates, and
 * why Spark's operator evaluates the others.
 *
 * A tag carries it from the logical plan to `slidewise.explain`; each [[SlidingWindowPlan]] is carried by its operator.
 *
 * @param operator
 *   how Slidewise's operator evaluates its expressions; none if Spark's evaluates all
 */
final case class WindowPlan(operator: Option[SlidingWindowPlan], left: Seq[LeftToSpark])

object WindowPlan {
  val Tag: TreeNodeTag[WindowPlan] = TreeNodeTag[WindowPlan]("slidewise.windowPlan")
}

/**
 * A window expression that Spark's operator evaluates.
 *
 * @param reason
 *   why, for a person to read
 */
final case class LeftToSpark(expression: NamedExpression, reason: String)

/**
 * A window expression that Slidewise evaluates.
 *
 * @param note
 *   what a person should know of the method, such as why it saves nothing here
 * @param reach
 *   how far from a row the rows lie that it reads
 */
final case class PlannedExpression(
    expression: NamedExpression,
    method: EvaluationMethod,
    note: Option[String],
    reach: FrameReach
)

/** Who brings the rows into the window's order. */
sealed trait SortPlacement

object SortPlacement {

  /** Spark, below the operator, unless the rows come in order. */
  case object BelowOperator extends SortPlacement

  /** The operator, by radix, unless the rows come in order. */
  case object InOperator extends SortPlacement

  /** Nobody, as a rule: the operator groups the rows of a partition by hash. Rows that come in order stay so. */
  case object Unneeded extends SortPlacement
}

/**
 * How several tasks evaluate one partition.
 *
 * @param minRows
 *   the least number of rows for each task
 * @param maxTasks
 *   the most tasks
 * @param aggregatesRuns
 *   whether the tasks that write the rows aggregate them
 */
final case class ParallelPlan(minRows: Long, maxTasks: Int, aggregatesRuns: Boolean = false) {

  /** How many tasks so many rows are worth; 0 if they are too few for one. */
  def tasksFor(rows: Long): Int = math.min(maxTasks.toLong, rows / minRows).toInt

  override def toString: String = s"parallel, at least $minRows rows a task, at most $maxTasks tasks"
}

object ParallelPlan {
  val HasKeys = "the partition keys spread the rows over tasks"
  val FewRows = "there are too few rows for several"

  /** So many tasks row by row are faster than one that evaluates in arrays: measured, two take 1.6 times as long. */
  val FewestRowByRow = 4
}

/**
 * How one operator evaluates its window expressions: an immutable value that planning makes once and that EXPLAIN,
 * `slidewise.explain`, the metrics and the tasks read. The same type describes windows over tables and over streams.
 *
 * @param expressions
 *   each window expression with its method; those of `arrays` first
 * @param arrays
 *   how kernels over arrays evaluate some of the expressions; none if they evaluate none
 * @param rowWise
 *   how the other expressions are evaluated
 * @param sortOrder
 *   what the operator sorts each partition by, if it sorts; begins with `orderSpec`
 * @param constantInSpark
 *   whether Spark, too, needs constant time a row for all expressions, once the rows are in order
 * @param radixInSpark
 *   whether Spark sorts by radix where it can, which decides in which order it leaves ties
 * @param maxStateBytes
 *   memory limit for cached partial aggregates of one frame in a task
 * @param timeZone
 *   of the session, for bounds of RANGE frames
 * @param parallel
 *   how several tasks share a partition; or why one task evaluates each, for a person to read
 */
final case class SlidingWindowPlan(
    expressions: Seq[PlannedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    arrays: Option[ArrayPlan],
    rowWise: RowWisePlan,
    sortPlacement: SortPlacement,
    sortOrder: Seq[SortOrder],
    constantInSpark: Boolean,
    radixInSpark: Boolean,
    maxStateBytes: Long,
    timeZone: String,
    parallel: Either[String, ParallelPlan] = Left(ParallelPlan.HasKeys)
) {

  /** All frames, as row-wise evaluation has them. */
  def frames: Seq[FramePlan] = arrays.toSeq.flatMap(_.fallback.frames) ++ rowWise.frames

  /** The same window with its rows in the order of their partitions. */
  def inOrder: SlidingWindowPlan =
    if (sortPlacement == SortPlacement.Unneeded) copy(sortPlacement = SortPlacement.InOperator) else this

  /** Whether the frame of each row is the whole table, whose rows are in no order. */
  def isWholeTable: Boolean =
    partitionSpec.isEmpty && sortOrder.isEmpty && frames.forall(f => FrameShape.isPartition(f.frame))

  /** The order of a window over a stream, which has one event-time column. */
  def eventTimeOrder: SortOrder = orderSpec.head

  /** What is left of the plan when the operator's own expressions are compared apart from it. */
  def canonical: SlidingWindowPlan =
    copy(
      expressions = Nil,
      partitionSpec = Nil,
      orderSpec = Nil,
      arrays = None,
      rowWise = RowWisePlan.Empty,
      sortOrder = Nil
    )

  /** The evaluation methods, each once; shown first in EXPLAIN. */
  def methods: Seq[EvaluationMethod] = expressions.map(_.method).distinct

  /** The methods that evaluate expressions row by row where the array kernels cannot; empty if none are used. */
  def fallback: Seq[EvaluationMethod] = arrays.toSeq.flatMap(_.fallback.methods)
}
