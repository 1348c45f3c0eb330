package org.slidewise.spark.execution.streams.hopping

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.hopping.WindowColumns
import org.slidewise.spark.plan.HoppingWindowPlan

/**
 * Counts the late windows of the panes of a batch, each once for each group, as Spark does. Expects the panes in the order of
 * groups and time.
 *
 * Cost: constant for each pane, or one evaluation of the filter on the windows for each late window if there is a filter.
 *
 * @param watermark
 *   the watermark for late rows, in microseconds
 */
final private[hopping] class LateWindows(plan: HoppingWindowPlan, watermark: Long) {
  private[this] val windows = plan.windows
  private[this] val lastLate = windows.lastEnded(watermark)
  private[this] val isKept = plan.output.condition.map(_ => new WindowColumns(plan).condition)
  private[this] val window = new GenericInternalRow(2)
  private[this] val joined = new JoinedRow
  private[this] var next = Long.MinValue // the first start that has not been counted in this group
  private[this] var counted = 0L

  def count: Long = counted

  /** Begins a new group. */
  def startGroup(): Unit = next = Long.MinValue

  /** Counts the late windows of the pane that starts at `pane`. Returns whether all its windows are late. */
  def add(group: UnsafeRow, pane: Long): Boolean = {
    val last = windows.lastStart(pane)
    val until = math.min(last, lastLate)
    var start = math.max(windows.firstStart(pane), next)
    if (start <= until) {
      next = until + windows.slide
      if (isKept.isEmpty) counted += (until - start) / windows.slide + 1
      else
        while (start <= until) {
          window.setLong(0, start)
          window.setLong(1, windows.end(start))
          if (isKept.get.eval(joined(group, window))) counted += 1
          start += windows.slide
        }
    }
    last <= lastLate
  }
}
