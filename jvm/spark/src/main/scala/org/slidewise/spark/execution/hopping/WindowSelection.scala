package org.slidewise.spark.execution.hopping

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.plan.HoppingWindows

/**
 * Selects the windows to evaluate among those that contain a pane. Times are in microseconds.
 *
 * @param after
 *   selects windows that end after this time
 * @param until
 *   selects windows that end at this time or before
 * @param touched
 *   a boolean column of the panes; if present, selects windows with a pane for which the boolean is true
 */
final private[execution] case class WindowSelection(after: Long, until: Long, touched: Option[Attribute]) {

  /** The start of the first window in the range; Long.MinValue if the range is unbounded. */
  def firstStart(windows: HoppingWindows): Long =
    if (after == Long.MinValue) after else windows.firstStart(after)

  /** The start of the last window in the range; Long.MaxValue if the range is unbounded. */
  def lastStart(windows: HoppingWindows): Long =
    if (until == Long.MaxValue) until else windows.lastEnded(until)
}

private[execution] object WindowSelection {
  val All: WindowSelection = WindowSelection(Long.MinValue, Long.MaxValue, None)

  /** The selection of the operator in `plan` that returns the panes; all windows if there is none. */
  def of(plan: SparkPlan): WindowSelection =
    plan.collectFirst { case selecting: SelectsWindows => selecting.selection }.getOrElse(All)
}

/** An operator that returns only the panes of selected windows. */
private[execution] trait SelectsWindows extends SparkPlan {
  def selection: WindowSelection
}
