package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLExpr
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, DayTimeIntervalType, NumericType, YearMonthIntervalType}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.errors.RefusedQuery

/**
 * Refuses frames such as `RANGE INTERVAL 7 DAYS PRECEDING` over an order column of numbers. Spark casts the interval to the number 7
 * there, whatever the unit of the column: over seconds since 1970 most frames hold one row. The check allows an explicit cast of the
 * interval, and any frame while Slidewise is off.
 *
 * Sessions that are already running lack this check. They could make it only after the optimizer, which replaces the cast by its
 * value.
 */
object IntervalFrameCheck extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case window: Window => window.windowExpressions.foreach(_.foreach(check))
    case _              => ()
  }

  private def check(expression: Expression): Unit = expression match {
    case WindowSpecDefinition(_, Seq(order), SpecifiedWindowFrame(RangeFrame, lower, upper))
        if order.dataType.isInstanceOf[NumericType] =>
      for (bound <- Seq(lower, upper); interval <- implicitCastOf(bound))
        if (SlidewiseSettings.enabled(SQLConf.get)) throw new IntervalFrameOverNumber(order.child, interval)
    case _ => ()
  }

  private def implicitCastOf(bound: Expression): Option[Expression] = bound match {
    case cast: Cast
        if isInterval(cast.child.dataType) && cast.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty =>
      Some(cast.child)
    case _ => None
  }

  private def isInterval(dataType: DataType): Boolean = dataType match {
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _                                                 => false
  }
}

/** The error for a frame bound that is an interval over an order column of numbers. */
final class IntervalFrameOverNumber(order: Expression, bound: Expression)
    extends RefusedQuery(
      IntervalFrameOverNumber.Condition,
      IntervalFrameOverNumber.SqlState,
      s"The frame bound ${IntervalFrameOverNumber.textOf(bound)} is an interval, but the order column ${toSQLExpr(order)} " +
        s"has the type ${order.dataType.sql}. Allowed: a number in the unit of the column, or an order column of the type " +
        "DATE or TIMESTAMP, such as timestamp_seconds(column)",
      Map(
        "bound" -> IntervalFrameOverNumber.textOf(bound),
        "orderColumn" -> toSQLExpr(order),
        "type" -> order.dataType.sql
      )
    )

object IntervalFrameOverNumber {
  val Condition = "SLIDEWISE_INTERVAL_FRAME_OVER_NUMBER"
  val SqlState = "42K09"

  private def textOf(bound: Expression): String = bound match {
    case UnaryMinus(interval, _) => s"${interval.sql} PRECEDING"
    case interval                => s"${interval.sql} FOLLOWING"
  }
}
