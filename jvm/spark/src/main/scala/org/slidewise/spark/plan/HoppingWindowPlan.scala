package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * What planning decided for a `GROUP BY` with a hopping `window()`, once. A tag carries it from the logical plan to
 * `slidewise.explain`.
 *
 * @param functions
 *   each aggregate function as a person would write it
 * @param operator
 *   how Slidewise's operator evaluates the windows, or why Spark's operators do
 */
final case class HoppingDecision(
    functions: Seq[HoppingFunction],
    operator: Either[String, HoppingWindowPlan]
)

object HoppingDecision {
  val Tag: TreeNodeTag[HoppingDecision] = TreeNodeTag[HoppingDecision]("slidewise.hoppingDecision")
}

/**
 * An aggregate over hopping windows as a person would write it.
 *
 * @param resultId
 *   identifies its result in the plan
 * @param method
 *   how Slidewise evaluates it; none if Spark does
 * @param note
 *   what to know of the method, or why Spark evaluates it
 */
final case class HoppingFunction(
    sql: String,
    resultId: ExprId,
    method: Option[EvaluationMethod],
    note: Option[String]
)

/**
 * How one operator evaluates hopping windows from partial aggregates by key and pane: an immutable value that planning makes
 * once.
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
 *   the same, by method; their frame is that of a window's panes
 * @param answers
 *   the results of the functions, in the order of [[PlannedAggregate.answer]]
 * @param condition
 *   which windows are kept, in terms of `keys` and `window`
 * @param results
 *   the output, in terms of `keys`, `window` and `answers`
 * @param maxStateBytes
 *   memory limit for cached partial aggregates of one window in a task
 */
final case class HoppingWindowPlan(
    windows: HoppingWindows,
    keys: Seq[Attribute],
    window: Attribute,
    pane: Attribute,
    aggregates: Seq[AggregateExpression],
    frames: Seq[FramePlan],
    answers: Seq[Attribute],
    condition: Option[Expression],
    results: Seq[NamedExpression],
    maxStateBytes: Long
) {

  /** The columns of a partial aggregate: its keys, its pane and the aggregation buffers. */
  def partial: Seq[Attribute] = keys ++ (pane +: buffers)

  /** The aggregation buffers of a partial aggregate. */
  def buffers: Seq[Attribute] = aggregates.flatMap(_.aggregateFunction.inputAggBufferAttributes)

  /**
   * The plan as tasks read it: with expressions in which Spark has planned the subqueries, and without subqueries in the inputs of
   * functions, which partial aggregation has read. Functions without them have buffers of their own: partial aggregates are
   * [[partial]] by position.
   */
  def inTasks(condition: Option[Expression], results: Seq[NamedExpression]): HoppingWindowPlan = {
    val functions = aggregates.map(
      _.aggregateFunction
        .transform { case subquery: PlanExpression[_] =>
          AttributeReference("subquery", subquery.dataType, subquery.nullable)()
        }
        .asInstanceOf[AggregateFunction]
    )
    copy(
      aggregates = aggregates.zip(functions).map { case (aggregate, function) =>
        aggregate.copy(aggregateFunction = function, filter = None)
      },
      frames = frames.map { frame =>
        frame.copy(aggregates = frame.aggregates.map(a => a.copy(function = functions(a.answer))))
      },
      condition = condition,
      results = results
    )
  }

  /** What is left of the plan when the operator's own expressions are compared apart from it. */
  def canonical: HoppingWindowPlan = {
    val none = AttributeReference("none", pane.dataType)(ExprId(0))
    copy(
      keys = Nil,
      window = none,
      pane = none,
      aggregates = Nil,
      frames = Nil,
      answers = Nil,
      condition = None,
      results = Nil
    )
  }

  /** The evaluation methods, each once; shown first in EXPLAIN. */
  def methods: Seq[EvaluationMethod] = frames.map(_.method).distinct
}
