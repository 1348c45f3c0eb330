package org.slidewise.spark.execution.hopping

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.plan.HoppingWindows

/**
 * Which windows are evaluated, of those that hold a pane.
 *
 * @param after
 *   the end of the last window before them, in microseconds
 * @param until
 *   the end of the last of them at most
 * @param touched
 *   a column of the panes; a window is evaluated if it is true for one of its panes
 */
final private[execution] case class WindowSelection(after: Long, until: Long, touched: Option[Attribute]) {

  /** The start of the first window. */
  def firstStart(windows: HoppingWindows): Long =
    if (after == Long.MinValue) after else windows.lastStart(after - windows.size) + windows.slide

  /** The start of the last window. */
  def lastStart(windows: HoppingWindows): Long =
    if (until == Long.MaxValue) until else windows.lastStart(until - windows.size)
}

private[execution] object WindowSelection {
  val All: WindowSelection = WindowSelection(Long.MinValue, Long.MaxValue, None)

  /** The selection that the operator makes that hands out the panes of `plan`. */
  def of(plan: SparkPlan): WindowSelection =
    plan.collectFirst { case selecting: SelectsWindows => selecting.selection }.getOrElse(All)
}

/** An operator that hands out the panes of some windows, and no others. */
private[execution] trait SelectsWindows extends SparkPlan {
  def selection: WindowSelection
}
