package org.slidewise.spark.execution.streams.hopping

import org.slidewise.spark.execution.streams.{StoredColumn, StoredFunction, StoredWindow}
import org.slidewise.spark.plan.{HoppingWindowPlan, HoppingWindows}

/**
 * The description of hopping windows over a stream that their checkpoint records.
 *
 * @param keys
 *   the grouping columns apart from the window, in the order of the state's key
 * @param functions
 *   the aggregate functions, in the order of their buffers
 * @param complete
 *   whether the output mode is complete, in which no pane is removed
 */
final private[hopping] case class StoredHopping(
    windows: HoppingWindows,
    keys: Seq[StoredColumn],
    functions: Seq[StoredFunction],
    complete: Boolean
) {
  override def toString: String = {
    val HoppingWindows(size, slide, offset) = windows
    val by = keys.map(_.name) :+ s"window($size µs, $slide µs, $offset µs)"
    s"${functions.map(_.sql).mkString(", ")} GROUP BY ${by.mkString(", ")}" +
      (if (complete) " IN COMPLETE MODE" else "")
  }
}

private[hopping] object StoredHopping {
  def of(plan: HoppingWindowPlan, complete: Boolean): StoredHopping = StoredHopping(
    plan.windows,
    plan.keys.map(key => StoredColumn(key.name, key.dataType.sql)),
    StoredWindow.functionsOf(plan.aggregates),
    complete
  )
}
