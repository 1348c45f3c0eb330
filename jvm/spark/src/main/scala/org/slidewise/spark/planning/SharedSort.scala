package org.slidewise.spark.planning

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Ascending, AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.internal.SQLConf

/**
 * Shares one sort between two windows if the order of the upper window begins with the order of the lower window. The lower operator
 * sorts by the longer order.
 *
 * Spark does the same since 4.3, by default (`spark.sql.execution.pushDownLocalSort`). It changes the order of rows that tie in the
 * lower window. Slidewise therefore shares a sort only where Spark does.
 */
private[planning] object SharedSort {
  private val Wider = TreeNodeTag[Seq[SortOrder]]("slidewise.widerOrder")

  /**
   * The order in which the operator of `window` returns each partition: the order of `window`, or a longer order that begins with
   * it.
   */
  def of(window: LogicalPlan, orderSpec: Seq[SortOrder]): Seq[SortOrder] =
    window.getTagValue(Wider).getOrElse(orderSpec)

  /** Makes a window below sort by `order`, if `order` begins with the order of that window. */
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
