package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * The planner's decision for a `GROUP BY` with a hopping `window()`, made once. A tag carries it from the optimizer to the strategy
 * and to `slidewise.explain`.
 *
 * @param functions
 *   the aggregate functions, as the report shows them
 * @param reasonToLeave
 *   the reason why Spark evaluates the windows; none if Slidewise does
 */
final case class HoppingDecision(functions: Seq[HoppingFunction], reasonToLeave: Option[String]) {

  /** Slidewise's evaluation method for a function with this result. */
  def methodOf(resultId: ExprId): EvaluationMethod = functions
    .find(_.resultId == resultId)
    .flatMap(_.method)
    .getOrElse(
      throw new IllegalStateException(s"nothing was decided on the function with the result $resultId")
    )
}

object HoppingDecision {
  val Tag: TreeNodeTag[HoppingDecision] = TreeNodeTag[HoppingDecision]("slidewise.hoppingDecision")
}

/**
 * An aggregate over hopping windows, as `slidewise.explain` reports it.
 *
 * @param sql
 *   the aggregate and its grouping in readable SQL
 * @param resultId
 *   identifies the aggregate's result in the plan
 * @param method
 *   Slidewise's evaluation method; None if Spark evaluates the aggregate
 * @param note
 *   a remark on the method, or the reason why Spark evaluates the aggregate
 */
final case class HoppingFunction(
    sql: String,
    resultId: ExprId,
    method: Option[EvaluationMethod],
    note: Option[String]
)

/**
 * The rows that an operator returns for groups of keys and windows.
 *
 * @param condition
 *   the filter on the windows, in terms of the keys and the window
 * @param results
 *   the columns, in terms of the keys, the window and the results of the functions
 */
final case class HoppingOutput(condition: Option[Expression], results: Seq[NamedExpression])

/**
 * The plan by which one operator evaluates hopping windows from partial aggregates by key and pane. Immutable.
 *
 * @param keys
 *   the grouping columns apart from the window
 * @param window
 *   the column of the window
 * @param pane
 *   the column of the pane's start
 * @param aggregates
 *   the aggregate functions
 * @param frames
 *   the aggregate functions grouped by evaluation method; each frame consists of the panes of one window
 * @param output
 *   the output, in terms of `keys`, `window` and `answers`
 * @param maxStateBytes
 *   memory limit of a task for the cached partial aggregates of one frame
 */
final case class HoppingWindowPlan(
    windows: HoppingWindows,
    keys: Seq[Attribute],
    window: Attribute,
    pane: Attribute,
    aggregates: Seq[AggregateExpression],
    frames: Seq[FramePlan],
    output: HoppingOutput,
    maxStateBytes: Long
) {

  /** The results of the functions, in the order of [[PlannedAggregate.answer]]. */
  def answers: Seq[Attribute] = aggregates.map(_.resultAttribute)

  /** The columns of a partial aggregate: its keys, its pane and the aggregation buffers. */
  def partial: Seq[Attribute] = keys ++ (pane +: buffers)

  /**
   * The functions that merge partial aggregates, in the order of `aggregates`. Attributes replace the subqueries in their inputs,
   * which partial aggregation has evaluated.
   */
  def functions: Seq[FunctionDescription] =
    frames.flatMap(_.aggregates).sortBy(_.answer).map(_.description)

  /** The aggregation buffers of a partial aggregate. */
  def buffers: Seq[Attribute] = aggregates.flatMap(_.aggregateFunction.inputAggBufferAttributes)

  /**
   * The plan for tasks, with expressions whose subqueries Spark has planned. Its aggregates are those of [[functions]]. They may
   * have new buffer attributes, so tasks match partial aggregates with [[partial]] by position.
   *
   * @param output
   *   the output, with planned subqueries
   */
  def inTasks(output: HoppingOutput): HoppingWindowPlan =
    copy(
      aggregates = aggregates.zip(functions).map { case (aggregate, function) =>
        aggregate.copy(aggregateFunction = function.aggregate, filter = None)
      },
      output = output
    )

  /** The plan without expressions. The operator has the same expressions as fields, which Spark canonicalizes. */
  def canonical: HoppingWindowPlan = {
    val none = AttributeReference("none", pane.dataType)(ExprId(0))
    copy(
      keys = Nil,
      window = none,
      pane = none,
      aggregates = Nil,
      frames = Nil,
      output = HoppingOutput(None, Nil)
    )
  }

  /** The distinct evaluation methods, which EXPLAIN shows first. */
  def methods: Seq[EvaluationMethod] = frames.map(_.method).distinct
}
