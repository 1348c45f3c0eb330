package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * The greatest number of rows that windows read. Spark's `maxRows` asks all nodes below. Because the planner comes from the top,
 * a window stores the number for the windows below it, which then ask no node more.
 */
private[planning] object InputRows {
  private val Told = TreeNodeTag[Option[Long]]("slidewise.inputRows")

  /**
   * The greatest number of rows that `window` reads. Forgets the stored number: adaptive execution plans a window again when more
   * is known.
   */
  def most(window: LogicalPlan): Option[Long] = {
    val told = window.getTagValue(Told)
    window.unsetTagValue(Told)
    told.getOrElse(of(window.children.head))
  }

  /** The greatest number of rows of `plan`. */
  def of(plan: LogicalPlan): Option[Long] = plan match {
    case window: Window =>
      val found = of(window.child)
      window.setTagValue(Told, found)
      found
    case _: Project | _: Sort | _: SubqueryAlias => of(plan.children.head)
    case other                                   => other.maxRows
  }
}
