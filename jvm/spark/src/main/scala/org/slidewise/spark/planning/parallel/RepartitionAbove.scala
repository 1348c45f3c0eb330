package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.plan.WindowJoin

/**
 * Windows and window joins whose partitions a user's `repartition(k)` or `DISTRIBUTE BY k` needs. Spark drops its shuffle where that below the window
 * has the same keys, and nothing in the physical plan shows it.
 */
private[planning] object RepartitionAbove {
  private val Needed = TreeNodeTag[Unit]("slidewise.partitionsNeeded")

  /** Marks these windows below a user's shuffle, if their partitions are as good as those of the shuffle. */
  def note(shuffle: RepartitionByExpression): Unit =
    if (shuffle.partitionExpressions.nonEmpty) note(shuffle.partitionExpressions, shuffle.child)

  private def note(keys: Seq[Expression], below: LogicalPlan): Unit = below match {
    case window: Window =>
      if (keys.forall(key => window.partitionSpec.exists(_.semanticEquals(key))))
        window.setTagValue(Needed, ())
      note(keys, window.child)
    case join: WindowJoin =>
      if (keys.forall(key => join.leftKeys.exists(_.semanticEquals(key)))) join.setTagValue(Needed, ())
      join.children.foreach(note(keys, _))
    case Project(columns, child) =>
      // A window's keys are columns: what is computed above it is none.
      val named = AttributeMap(columns.collect { case alias: Alias => alias.toAttribute -> alias.child })
      val below = keys.map {
        case column: Attribute => named.getOrElse(column, column)
        case other             => other
      }
      if (below.forall(key => key.isInstanceOf[Attribute] || key.foldable)) note(below, child)
    case _: RepartitionByExpression | _: Aggregate => ()
    case other                                     => other.children.foreach(note(keys, _))
  }

  /** Whether `note` has marked the window that an operator evaluates. */
  def of(operator: SparkPlan): Boolean = operator.logicalLink.exists(_.getTagValue(Needed).isDefined)
}
