package org.slidewise.spark.execution.task;

import org.apache.spark.TaskContext;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * The memory, cancellation and metrics of a task, for its operators. Written in Java because Spark
 * keeps these methods private to its own Scala packages.
 */
public final class TaskResources {
  private final TaskContext context;

  public TaskResources(TaskContext context) {
    this.context = context;
  }

  public TaskMemoryManager memory() {
    return context.taskMemoryManager();
  }

  /** Fails if the task has been cancelled. */
  public void stopIfCancelled() {
    context.killTaskIfInterrupted();
  }

  public void countSpill(long memoryBytes, long diskBytes) {
    context.taskMetrics().incMemoryBytesSpilled(memoryBytes);
    context.taskMetrics().incDiskBytesSpilled(diskBytes);
  }

  public void countPeakMemory(long bytes) {
    context.taskMetrics().incPeakExecutionMemory(bytes);
  }
}
