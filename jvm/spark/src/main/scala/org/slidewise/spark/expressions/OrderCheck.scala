package org.slidewise.spark.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLExpr
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

import org.slidewise.spark.errors.RefusedQuery

/**
 * Checks the order of the rows of each [[OrderDependent]] function. Refuses a call
 *
 *   - in GROUP BY without WITHIN GROUP: partial aggregates arrive in any order and interleave, so that a buffer of constant size
 *     cannot be merged correctly;
 *   - over a window without ORDER BY;
 *   - with both an order of its own and a window with ORDER BY or a frame;
 *   - of a function of time where the time column descends.
 */
object OrderCheck extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan.foreach(checkNode)

  private val WholePartition = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, UnboundedFollowing)

  def checkNode(plan: LogicalPlan): Unit = plan match {
    case aggregate: Aggregate => aggregate.expressions.foreach(_.foreach(refuseInGroup))
    case other                => other.expressions.foreach(_.foreach(refuseUnordered))
  }

  private def refuseDescending(function: OrderDependent, order: Seq[SortOrder]): Unit =
    for (time <- function.ascending; by <- order.headOption)
      if (by.direction == Descending && by.child.semanticEquals(time))
        throw new AscendingOrderRequired(function, time)

  private def refuseInGroup(expression: Expression): Unit = expression match {
    case AggregateExpression(f: OrderDependent, _, _, _, _) if f.requiresOrder =>
      throw new OrderRequired(f, "an aggregation without OVER does not keep the order of the rows")
    case AggregateExpression(WithinGroup(f: OrderDependent, order, _, _), _, _, _, _) =>
      refuseDescending(f, order)
    case _ => ()
  }

  private def refuseUnordered(expression: Expression): Unit = expression match {
    case WindowExpression(
          AggregateExpression(f: OrderDependent, _, _, _, _),
          WindowSpecDefinition(_, Seq(), _)
        ) if f.requiresOrder =>
      throw new OrderRequired(f, "the window has no ORDER BY")
    case WindowExpression(AggregateExpression(f: WithinGroup, _, _, _, _), window)
        if window.orderSpec.nonEmpty || window.frameSpecification != WholePartition =>
      throw new AnalysisException("INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC", Map("aggFunc" -> toSQLExpr(f)))
    case WindowExpression(AggregateExpression(f: WithinGroup, _, _, _, _), _) =>
      refuseDescending(f.function, f.order)
    case WindowExpression(AggregateExpression(f: OrderDependent, _, _, _, _), window) =>
      refuseDescending(f, window.orderSpec)
    case _ => ()
  }
}

/** Runs [[OrderCheck]] in the planner, for running sessions, to whose analyzer no rule can be added. */
object OrderCheckStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    OrderCheck.checkNode(plan)
    Nil
  }
}

/** Refuses a call of a function that depends on the order of the rows, where they have none. */
final class OrderRequired(function: OrderDependent, because: String)
    extends RefusedQuery(
      OrderRequired.Condition,
      OrderRequired.SqlState,
      s"The result of `${function.prettyName}` depends on the order of the rows, but $because. " +
        s"Allowed is: `${function.prettyName}`(…) OVER (… ORDER BY …) or `${function.prettyName}`(…) WITHIN GROUP (ORDER BY …), " +
        s"in Python the argument order_by=…, in Scala orderBy" +
        function.unorderedAlternative.fold("")(w => s"; or $w"),
      Map("functionName" -> s"`${function.prettyName}`", "reason" -> because)
    )

object OrderRequired {
  val Condition = "SLIDEWISE_ORDER_REQUIRED"
  val SqlState = "42601"
}

/** Refuses a call of a function of time over rows in descending order of time. */
final class AscendingOrderRequired(function: OrderDependent, time: Expression)
    extends RefusedQuery(
      AscendingOrderRequired.Condition,
      OrderRequired.SqlState,
      s"`${function.prettyName}` needs its rows in ascending order of ${toSQLExpr(time)}, but the order descends. " +
        s"Allowed is: ORDER BY ${toPrettySQL(time)}",
      Map("functionName" -> s"`${function.prettyName}`", "time" -> toSQLExpr(time))
    )

object AscendingOrderRequired {
  val Condition = "SLIDEWISE_ASCENDING_ORDER_REQUIRED"
}
