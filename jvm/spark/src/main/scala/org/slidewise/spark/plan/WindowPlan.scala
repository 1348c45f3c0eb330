package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * What planning decided for the window expressions of one logical `Window`, once: which of them Slidewise evaluates, and
 * why Spark's operator evaluates the others.
 *
 * A tag carries it from the logical plan to `slidewise.explain`; each [[SlidingWindowPlan]] is carried by its operator.
 *
 * @param stages
 *   the operators, in the order in which rows pass them
 */
final case class WindowPlan(stages: Seq[SlidingWindowPlan], left: Seq[LeftToSpark])

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
 */
final case class PlannedExpression(
    expression: NamedExpression,
    method: EvaluationMethod,
    note: Option[String]
)

/** Who brings the rows into the window's order. */
sealed trait SortPlacement

object SortPlacement {

  /** Spark, below the operator, unless the rows come in order. */
  case object BelowOperator extends SortPlacement

  /** The operator, by radix, unless the rows come in order. */
  case object InOperator extends SortPlacement
}

/**
 * How one operator evaluates its window expressions: an immutable value that planning makes once and that EXPLAIN,
 * `slidewise.explain`, the metrics and the tasks read. The same type describes windows over tables and over streams.
 *
 * @param expressions
 *   each window expression with its method
 * @param frames
 *   what is evaluated row by row: all functions, since the row-wise evaluation is also the fallback of the arrays
 * @param answers
 *   what the functions of `frames` yield, in the order of [[PlannedAggregate.answer]]
 * @param results
 *   the window expressions in terms of `answers`
 * @param arrays
 *   how array kernels evaluate all window expressions; empty if they cannot
 * @param maxStateBytes
 *   memory limit for cached partial aggregates of one frame in a task
 * @param timeZone
 *   of the session, for bounds of RANGE frames
 */
final case class SlidingWindowPlan(
    expressions: Seq[PlannedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    frames: Seq[FramePlan],
    answers: Seq[AttributeReference],
    results: Seq[NamedExpression],
    arrays: Seq[KernelAggregate],
    sortPlacement: SortPlacement,
    maxStateBytes: Long,
    timeZone: String
) {

  /** The order of a window over a stream, which has one event-time column. */
  def eventTimeOrder: SortOrder = orderSpec.head

  /** What is left of the plan when the operator's own expressions are compared apart from it. */
  def canonical: SlidingWindowPlan =
    copy(
      expressions = Nil,
      partitionSpec = Nil,
      orderSpec = Nil,
      frames = Nil,
      answers = Nil,
      results = Nil,
      arrays = Nil
    )

  /** The evaluation methods, each once; shown first in EXPLAIN. */
  def methods: Seq[EvaluationMethod] = expressions.map(_.method).distinct

  /** The methods that evaluate the expressions row by row where the array kernels cannot; empty if none are used. */
  def fallback: Seq[EvaluationMethod] = if (arrays.isEmpty) Nil else frames.map(_.method).distinct

  /** The attributes of an input row that frames and functions need. */
  def neededAttributes(input: Seq[Attribute]): Seq[Attribute] = {
    val order = if (frames.exists(_.frame.frameType == RangeFrame)) orderSpec else Nil
    val needed =
      AttributeSet(order ++ frames.flatMap(_.aggregates).flatMap(a => a.function.children ++ a.filter))
    input.filter(needed.contains)
  }

  /** [[results]] without their names. */
  def resultExpressions: Seq[Expression] = results.map {
    case Alias(result, _) => result
    case other            => other
  }

  /** Whether the frames of a row are known as soon as the row has arrived. */
  def answersAtOnce: Boolean = frames.forall(frame => FrameShape.endsByCurrentRow(frame.read))

  /**
   * The longest event time in microseconds that a row may wait until its frames are complete; none if it waits for a number
   * of rows.
   */
  def longestWaitMicros: Option[Long] = {
    val waits = frames.map(plan => FrameShape.waitMicros(plan.frame))
    if (waits.forall(_.isDefined)) Some(waits.flatten.foldLeft(0L)(math.max)) else None
  }
}
