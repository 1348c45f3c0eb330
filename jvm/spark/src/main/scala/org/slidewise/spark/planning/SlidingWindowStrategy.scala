package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.plan._

/**
 * The decision on a window.
 *
 * @param operator
 *   makes the operator of the plan, given its child
 */
final private[spark] case class WindowDecision(
    plan: WindowPlan,
    operator: (SlidingWindowPlan, SparkPlan) => SparkPlan = SlidingWindowExec(_, _)
)

/** Decides whether one task or several evaluate a window without PARTITION BY. */
private[spark] trait TaskPlanner {

  /**
   * @param planned
   *   plans the window; the argument tells which array functions may run in array kernels
   */
  def decide(
      conf: SQLConf,
      window: LogicalPlan,
      planned: (ArrayFunction => Boolean) => WindowPlan
  ): WindowDecision
}

/** Decides whether several tasks share the rows of a join without keys. */
private[spark] trait JoinTaskPlanner {

  /**
   * @param left
   *   the plan of the left rows; `right` is the plan of the right rows. Both may be in any order and partitioning
   * @return
   *   the operator whose tasks share the rows; none if one task is to evaluate the join
   */
  def shared(
      conf: SQLConf,
      join: WindowJoin,
      plan: WindowJoinPlan,
      left: SparkPlan,
      right: SparkPlan
  ): Option[SparkPlan]
}

/**
 * Plans the window functions of the JVM that Slidewise evaluates as one operator for each window, and the other functions as
 * Spark's own operator above it. One sort serves both operators. If planning fails because of a bug, or because this Spark lacks a
 * class or method, the strategy logs a warning and Spark plans the window.
 *
 * @param withoutKeys
 *   decides on windows without PARTITION BY
 */
final private[spark] class SlidingWindowStrategy(withoutKeys: TaskPlanner) extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalWindow(WindowFunctionType.SQL, expressions, partitionSpec, orderSpec, child)
        if !StreamInput.isBelow(child) =>
      val (windows, outputs) = expressions.map(WindowExpressions.extract).unzip
      val decided =
        decide(plan, windows.flatten, partitionSpec, orderSpec, SharedSort.of(plan, orderSpec))
      plan.setTagValue(WindowPlan.Tag, asSparkPlans(decided.plan, expressions, windows))
      operators(decided, partitionSpec, orderSpec, child, child.output ++ outputs)
    case _ => Nil
  }

  /**
   * The decision in terms of the original expressions if Spark plans the whole window. Spark then uses the expressions as they
   * are, and not those that were extracted from them.
   */
  private def asSparkPlans(
      decided: WindowPlan,
      expressions: Seq[NamedExpression],
      windows: Seq[Seq[NamedExpression]]
  ): WindowPlan =
    if (decided.operator.isDefined) decided
    else {
      val left = decided.bySpark.map(l => l.expression.exprId -> l).toMap
      WindowPlan(
        None,
        expressions.zip(windows).flatMap { case (expression, extracted) =>
          extracted.flatMap(e => left.get(e.exprId)).headOption.map(_.copy(expression = expression))
        }
      )
    }

  private def decide(
      window: LogicalPlan,
      windows: Seq[NamedExpression],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      sortOrder: Seq[SortOrder]
  ): WindowDecision =
    PlanningFailure.leaveToSpark("a window") {
      val conf = SQLConf.get
      def planned(mayUseArrays: ArrayFunction => Boolean) =
        new WindowPlanner(conf, partitionSpec, orderSpec, sortOrder, PartitionOrder.isOn, mayUseArrays)
          .plan(windows)
      if (partitionSpec.isEmpty) withoutKeys.decide(conf, window, planned)
      else WindowDecision(planned(_ => true))
    }(e => WindowDecision(WindowPlan(None, windows.map(EvaluatedBySpark(_, s"planning it failed: $e")))))

  private def operators(
      decided: WindowDecision,
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      child: LogicalPlan,
      output: Seq[NamedExpression]
  ): Seq[SparkPlan] =
    decided.plan.operator.toSeq.map { operator =>
      if (operator.sortPlacement == SortPlacement.InOperator)
        SharedSort.offer(child, partitionSpec, operator.sortOrder, SQLConf.get)
      val sliding = decided.operator(operator, planLater(child))
      val left = decided.plan.bySpark.map(_.expression)
      val all = if (left.isEmpty) sliding else WindowExec(left, partitionSpec, orderSpec, sliding)
      if (all.output == output) all else ProjectExec(output, all)
    }
}
