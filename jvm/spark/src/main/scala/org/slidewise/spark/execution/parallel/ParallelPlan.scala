package org.slidewise.spark.execution.parallel

/**
 * The limits for the tasks that share a window.
 *
 * @param minRows
 *   the least number of rows for each task
 * @param maxTasks
 *   the greatest number of tasks
 * @param aggregatesRuns
 *   whether the tasks that write the rows aggregate them
 */
final case class ParallelPlan(minRows: Long, maxTasks: Int, aggregatesRuns: Boolean = false) {

  /** The number of tasks for `rows` rows; 0 if there are too few rows for one task. */
  def tasksFor(rows: Long): Int = math.min(maxTasks.toLong, rows / minRows).toInt

  /** Description for `slidewise.explain`. */
  def note: String = s"tasks share the rows, at least $minRows each"

  override def toString: String = s"parallel, at least $minRows rows a task, at most $maxTasks tasks"
}
