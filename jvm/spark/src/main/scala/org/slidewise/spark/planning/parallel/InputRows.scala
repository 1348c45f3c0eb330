package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * An upper bound on the number of rows that windows read. Spark's `maxRows` visits all nodes below a window. The planner works from
 * the top down, so a window stores the bounds of the windows below it, which then visit no node again.
 */
private[planning] object InputRows {
  private val Told = TreeNodeTag[Option[Long]]("slidewise.inputRows")

  /**
   * An upper bound on the number of rows that `window` reads. Clears the stored bound, because adaptive execution plans a window
   * again with newer statistics.
   */
  def most(window: LogicalPlan): Option[Long] = {
    val told = window.getTagValue(Told)
    window.unsetTagValue(Told)
    told.getOrElse(of(window.children.head))
  }

  /** An upper bound on the number of rows of `plan`. */
  def of(plan: LogicalPlan): Option[Long] = plan match {
    case window: Window =>
      val found = of(window.child)
      window.setTagValue(Told, found)
      found
    case _: Project | _: Sort | _: SubqueryAlias => of(plan.children.head)
    case other                                   => other.maxRows
  }
}
