package org.slidewise.spark.execution;

import org.apache.spark.TaskContext;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * What a task lends to an operator. Written in Java because Spark keeps these methods private to its
 * own Scala packages.
 */
final class TaskResources {
  private final TaskContext context;

  TaskResources(TaskContext context) {
    this.context = context;
  }

  TaskMemoryManager memory() {
    return context.taskMemoryManager();
  }

  void countSpill(long memoryBytes, long diskBytes) {
    context.taskMetrics().incMemoryBytesSpilled(memoryBytes);
    context.taskMetrics().incDiskBytesSpilled(diskBytes);
  }

  void countPeakMemory(long bytes) {
    context.taskMetrics().incPeakExecutionMemory(bytes);
  }
}
