package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.expressions.ValueOrElse
import org.slidewise.spark.plan._
import org.slidewise.spark.planning.WindowPlanner

/** Plans window joins with the planner of windows: the right rows are partitions in the order of their time. */
private[joins] object WindowJoinPlanner {

  /** The reason why Spark has to evaluate a call of the join; none if Slidewise evaluates all. */
  def reasonNot(join: WindowJoin, conf: SQLConf): Option[String] =
    planned(join, join.named.filterNot(PythonJoinPlanner.isInPython), conf).bySpark.headOption
      .map(_.reason)

  /** The plan of the join's operator, given its calls as the optimizer leaves them. */
  def plan(join: WindowJoin, calls: Seq[NamedExpression], conf: SQLConf): WindowJoinPlan = {
    val (ordered, leftOrder) = inOrder(calls)
    val decided = planned(join, ordered, conf)
    decided.bySpark.headOption.foreach { left =>
      throw new IllegalStateException(s"${left.expression.sql} is evaluated by Spark: ${left.reason}")
    }
    WindowJoinPlan(decided.operator.get, join.leftKeys, leftOrder, join.times)
  }

  /** The calls, and the order in which to evaluate left rows. In this order, all bounds mostly rise, if there is such an order. */
  def inOrder(calls: Seq[NamedExpression]): (Seq[NamedExpression], Seq[SortOrder]) = {
    val order = leftOrder(calls)
    val first = order.getOrElse(BoundOrder.base(values(calls).head.child))
    // A bound that fails is an error only if Spark compares it with a right row.
    val known = if (TotalBound.isTotal(first)) first else ValueOrElse.orNull(first)
    (calls.map(inOrder(_, order)), Seq(SortOrder(known, Ascending)))
  }

  private def planned(join: WindowJoin, calls: Seq[NamedExpression], conf: SQLConf): WindowPlan =
    new WindowPlanner(conf, join.rightKeys, join.order.take(1), join.order).planWhetherOn(calls)

  private def values(calls: Seq[NamedExpression]): Seq[RowValue] =
    calls.flatMap(_.collect { case value: RowValue => value })

  /** The expression of a left row in whose order all bounds mostly rise; none if there is none. */
  private def leftOrder(calls: Seq[NamedExpression]): Option[Expression] = {
    val all = values(calls).map(_.child)
    BoundOrder.common(all).orElse {
      val each = ExpressionSet(all)
      if (each.size == 1) each.headOption else None
    }
  }

  private def inOrder(call: NamedExpression, order: Option[Expression]): NamedExpression =
    if (order.isEmpty) call
    else call.transform { case value: RowValue => value.copy(mayRise = true) }.asInstanceOf[NamedExpression]
}
