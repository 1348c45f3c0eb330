package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.plan.WindowJoin

/**
 * Finds windows and window joins whose partitioning a user's `repartition(k)` or `DISTRIBUTE BY k` above needs. If the shuffle below
 * the window has the same keys, Spark drops the user's shuffle. The physical plan then does not show that the user needs the
 * partitioning.
 */
private[planning] object RepartitionAbove {
  private val Needed = TreeNodeTag[Unit]("slidewise.partitionsNeeded")

  /** Marks the windows and joins below a user's shuffle whose keys include all keys of the shuffle. */
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
      // The keys of a window are columns of its input, so an expression computed above the window is not one of them.
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
