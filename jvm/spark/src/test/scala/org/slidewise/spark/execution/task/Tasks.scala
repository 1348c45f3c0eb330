package org.slidewise.spark.execution.task

import java.io.File

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

/** Helpers for tests that run in a task. */
object Tasks {

  def resources(): TaskResources = new TaskResources(TaskContext.get())

  /** Cancels the current task. A task that stays cancelled is run again without end: see [[uncancel]]. */
  def cancel(): Unit = {
    val context = TaskContext.get()
    // Spark keeps the method to its own packages.
    context.getClass.getMethod("markInterrupted", classOf[String]).invoke(context, "cancelled by a test")
  }

  def uncancel(): Unit = {
    val context = TaskContext.get()
    val reason = context.getClass.getDeclaredFields.find(_.getName.endsWith("reasonIfKilled")).get
    reason.setAccessible(true)
    reason.set(context, None)
  }

  /** The class of what `body` throws, or the empty string; the task is not cancelled any more. */
  def thrownBy(body: => Any): String =
    try {
      body
      ""
    } catch { case e: Throwable => e.getClass.getSimpleName }
    finally uncancel()

  /** The temporary files of the executor. */
  def temporaryFiles(): Seq[String] = {
    def under(file: File): Seq[File] =
      Option(file.listFiles).fold(Seq(file))(_.toSeq.flatMap(under))
    under(new File(SparkEnv.get.conf.get("spark.local.dir")))
      .map(_.getName)
      .filter(_.startsWith("temp_local"))
  }

  /** Another consumer of the task's memory. */
  final class Hog(mode: MemoryMode) extends MemoryConsumer(resources().memory, mode) {

    /** Takes all memory that there is, also from consumers that can spill, and gives `left` back. */
    def takeAllBut(left: Long): Unit = {
      acquireMemory(Long.MaxValue / 2)
      freeMemory(math.min(left, getUsed))
    }
    def close(): Unit = freeMemory(getUsed)
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }
}
