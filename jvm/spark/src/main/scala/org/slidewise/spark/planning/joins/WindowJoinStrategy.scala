package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Complete}
import org.apache.spark.sql.catalyst.optimizer.DecimalAggregates
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.{DriverValueExec, PythonWindowJoinExec, WindowJoinExec}
import org.slidewise.spark.plan.{DriverValue, FramedAggregate, WindowJoin}
import org.slidewise.spark.planning.JoinTaskPlanner

/**
 * Plans [[WindowJoin]]s, and the values that filter their right rows.
 *
 * @param withoutKeys
 *   decides on joins without keys
 */
final private[spark] class WindowJoinStrategy(withoutKeys: JoinTaskPlanner) extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case join: WindowJoin if join.named.exists(PythonJoinPlanner.isInPython) => Seq(inPython(join))
    case join: WindowJoin                                                    =>
      val (calls, results) = ofSmallDecimals(join)
      val planned = WindowJoinPlanner.plan(join, calls, SQLConf.get)
      val (left, right) = (planLater(join.left), planLater(join.right))
      val operator = Some(join)
        .filter(_.leftKeys.isEmpty)
        .flatMap(withoutKeys.shared(SQLConf.get, _, planned, left, right))
        .getOrElse(WindowJoinExec(planned, left, right))
      Seq(projected(operator, join.left.output ++ results))
    case DriverValue(value, result) => Seq(DriverValueExec(value, result))
    case _                          => Nil
  }

  private def projected(operator: SparkPlan, output: Seq[NamedExpression]): SparkPlan =
    if (operator.output == output) operator else ProjectExec(output, operator)

  /**
   * Plans aggregators in Python. Their operator also evaluates the other calls if these only count rows. Otherwise, a join below
   * evaluates the other calls.
   */
  private def inPython(join: WindowJoin): SparkPlan = {
    val others = join.named.filterNot(PythonJoinPlanner.isInPython)
    val isAlone = others.forall(PythonJoinPlanner.isCount)
    val ofOthers = AttributeSet(others.map(_.toAttribute))
    val below = if (isAlone) join.left else join.keeping(ofOthers.contains)
    val own = if (isAlone) others else Nil
    val operator = PythonWindowJoinExec(
      PythonJoinPlanner.plan(join, own),
      own,
      planLater(below),
      planLater(join.right)
    )
    projected(operator, join.output)
  }

  /**
   * The calls, with sums and means of small decimals rewritten to whole numbers, and the results in terms of the calls. Spark's
   * optimizer does the same for its own operators.
   */
  private def ofSmallDecimals(join: WindowJoin): (Seq[NamedExpression], Seq[NamedExpression]) = {
    val named = join.named
    val aggregates = named.map { call =>
      val framed = call.child.asInstanceOf[FramedAggregate]
      val function = framed.function.asInstanceOf[AggregateFunction]
      Alias(AggregateExpression(function, Complete, isDistinct = false, framed.filter), call.name)(
        call.exprId
      )
    }
    val simplified = DecimalAggregates(Aggregate(Nil, aggregates, join.right)).expressions
    named
      .zip(simplified)
      .map { case (call, result) =>
        val framed = call.child.asInstanceOf[FramedAggregate]
        def of(a: AggregateExpression) = framed.copy(function = a.aggregateFunction, filter = a.filter)
        result match {
          case Alias(a: AggregateExpression, _) =>
            (Alias(of(a), call.name)(call.exprId), call.toAttribute)
          case wrapped =>
            val inner = wrapped.collectFirst { case a: AggregateExpression => Alias(of(a), call.name)() }.get
            val outer = wrapped.transform { case _: AggregateExpression => inner.toAttribute }
            (inner, outer.asInstanceOf[NamedExpression])
        }
      }
      .unzip
  }
}
