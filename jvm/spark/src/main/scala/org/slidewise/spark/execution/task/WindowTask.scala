package org.slidewise.spark.execution.task

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.metric.SQLMetric

/** The resources and the measures of the task that a window runs in. */
final private[execution] class WindowTask(context: TaskContext, metrics: Map[String, SQLMetric]) {
  val resources = new TaskResources(context)
  val measures = new WindowMeasures(metrics, resources, seed = 0x2545f4914f6cdd1dL ^ context.taskAttemptId())

  /** Calls `close` when the task ends, also after an error or a cancellation. */
  def onCompletion(close: () => Unit): Unit = context.addTaskCompletionListener[Unit](_ => close())

  /** The same task, but without counting output rows, because another evaluation of the same rows counts them. */
  def withoutRowCount: WindowTask =
    new WindowTask(context, metrics.updated(WindowMetrics.Rows, new SQLMetric("sum")))

  /** Closes `resource` when the task ends, and reports its memory. */
  def closeAtEnd(resource: MeasuredResource): Unit = onCompletion { () =>
    measures.reportMemory(resource.peakMemory, resource.spilledBytes)
    resource.close()
  }
}

/** A resource that holds memory of a task, and perhaps files. */
private[execution] trait MeasuredResource {

  /** The most memory held at any time, in bytes. */
  def peakMemory: Long

  /** Bytes written to files so far. */
  def spilledBytes: Long

  /** Gives all memory and files back. */
  def close(): Unit
}
