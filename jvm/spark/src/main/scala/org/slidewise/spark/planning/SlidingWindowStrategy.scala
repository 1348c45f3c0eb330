package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RepartitionByExpression, ReturnAnswer}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.plan.{EvaluatedBySpark, SortPlacement, StreamInput, WindowPlan}

/**
 * Plans the window functions of the JVM that Slidewise evaluates as one [[SlidingWindowExec]] for each window, and the other
 * functions as Spark's own operator above it. One sort serves both operators. If planning fails because of a bug, or because this
 * Spark lacks a class or method, the strategy logs a warning and Spark plans the window.
 */
object SlidingWindowStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalWindow(WindowFunctionType.SQL, expressions, partitionSpec, orderSpec, child)
        if !StreamInput.isBelow(child) =>
      val (windows, outputs) = expressions.map(WindowExpressions.extract).unzip
      val decided =
        decide(plan, child, windows.flatten, partitionSpec, orderSpec, SharedSort.of(plan, orderSpec))
      plan.setTagValue(WindowPlan.Tag, asSparkPlans(decided, expressions, windows))
      operators(decided, partitionSpec, orderSpec, child, child.output ++ outputs)
    case repartition: RepartitionByExpression =>
      RepartitionAbove.note(repartition)
      Nil
    case ReturnAnswer(query) =>
      PlacesAbove.note(query)
      Nil
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
      child: LogicalPlan,
      windows: Seq[NamedExpression],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      sortOrder: Seq[SortOrder]
  ): WindowPlan =
    PlanningFailure.leaveToSpark("a window")(
      ParallelPlanner.plan(SQLConf.get, window, child, partitionSpec, orderSpec, sortOrder, windows)
    )(e => WindowPlan(None, windows.map(EvaluatedBySpark(_, s"planning it failed: $e"))))

  private def operators(
      decided: WindowPlan,
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      child: LogicalPlan,
      output: Seq[NamedExpression]
  ): Seq[SparkPlan] =
    decided.operator.toSeq.map { operator =>
      if (operator.sortPlacement == SortPlacement.InOperator)
        SharedSort.offer(child, partitionSpec, operator.sortOrder, SQLConf.get)
      val sliding = SlidingWindowExec(operator, ParallelPlanner.exchange(operator, planLater(child)))
      val left = decided.bySpark.map(_.expression)
      val all = if (left.isEmpty) sliding else WindowExec(left, partitionSpec, orderSpec, sliding)
      if (all.output == output) all else ProjectExec(output, all)
    }
}
