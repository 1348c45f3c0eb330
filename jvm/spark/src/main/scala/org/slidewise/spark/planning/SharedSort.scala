package org.slidewise.spark.planning

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Ascending, AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.internal.SQLConf

/**
 * One sort for two windows of which the upper's order begins with the lower's: the lower operator sorts by the wider order.
 *
 * Spark does so since 4.3, by default (`spark.sql.execution.pushDownLocalSort`). Rows that tie in the lower window then come in
 * the upper's order, so that the same windows share a sort here, and no others.
 */
private[planning] object SharedSort {
  private val Wider = TreeNodeTag[Seq[SortOrder]]("slidewise.widerOrder")

  /** The order in which the operator of `window` leaves each partition: its own, or a wider one that begins with it. */
  def of(window: LogicalPlan, orderSpec: Seq[SortOrder]): Seq[SortOrder] =
    window.getTagValue(Wider).getOrElse(orderSpec)

  /** Has a window below, whose order `order` begins with, sort by it. */
  def offer(child: LogicalPlan, partitionSpec: Seq[Expression], order: Seq[SortOrder], conf: SQLConf): Unit =
    if (isOn(conf)) offer(child, ordering(partitionSpec, order))

  private def offer(plan: LogicalPlan, wider: Seq[SortOrder]): Unit = plan match {
    case Project(_, below) if references(wider).subsetOf(below.outputSet)     => offer(below, wider)
    case window: Window if references(wider).subsetOf(window.child.outputSet) =>
      val own = ordering(window.partitionSpec, window.orderSpec)
      if (own.size < wider.size && own.zip(wider).forall { case (a, b) => a.semanticEquals(b) })
        window.setTagValue(Wider, wider.drop(window.partitionSpec.size))
    case _ => ()
  }

  private def ordering(partitionSpec: Seq[Expression], orderSpec: Seq[SortOrder]): Seq[SortOrder] =
    partitionSpec.map(SortOrder(_, Ascending)) ++ orderSpec

  private def references(order: Seq[SortOrder]) = AttributeSet(order.flatMap(_.references))

  private def isOn(conf: SQLConf): Boolean =
    Try(conf.getConfString("spark.sql.execution.pushDownLocalSort")).toOption.contains("true")
}
