package org.slidewise.spark.execution.streams.hopping

import org.slidewise.spark.execution.streams.{StoredColumn, StoredFunction, StoredWindow}
import org.slidewise.spark.plan.{HoppingDefinition, HoppingWindows}

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

  /** What two queries have in common that may share a state. */
  def identity: (HoppingWindows, Boolean, Seq[StoredColumn], Seq[String]) = (
    windows,
    complete,
    keys.map(key => key.copy(name = StoredHopping.withoutNumbers(key.name))),
    functions.map(f => StoredHopping.withoutNumbers(f.sql))
  )

  /** In which form the states of the functions are kept. */
  def forms: Seq[String] = functions.map(f => StoredHopping.withoutNumbers(f.form))

  override def toString: String = {
    val HoppingWindows(size, slide, offset) = windows
    val by = keys.map(_.name) :+ s"window($size µs, $slide µs, $offset µs)"
    s"${functions.map(_.sql).mkString(", ")} GROUP BY ${by.mkString(", ")}" +
      (if (complete) " IN COMPLETE MODE" else "")
  }
}

private[hopping] object StoredHopping {
  def of(windows: HoppingWindows, definition: HoppingDefinition, complete: Boolean): StoredHopping =
    StoredHopping(
      windows,
      definition.keys.map(key => StoredColumn(StoredWindow.sqlOf(key), key.dataType.sql)),
      StoredWindow.functionsOf(definition.aggregates),
      complete
    )

  /** Numbers at the end of names, which Spark counts anew in each run, are left out. */
  private[hopping] def withoutNumbers(sql: String): String = sql.replaceAll("_[0-9]+\\b", "_")
}
