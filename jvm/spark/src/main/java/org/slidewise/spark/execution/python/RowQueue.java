package org.slidewise.spark.execution.python;

import java.io.File;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.python.HybridRowQueue;
import org.apache.spark.util.Utils;

/**
 * Rows that wait for their results from Python; on disk if memory is short. Written in Java because Spark keeps its queue
 * private to its own Scala packages.
 */
final class RowQueue {
  private final HybridRowQueue queue;

  RowQueue(TaskContext context, int fields) {
    File folder = new File(Utils.getLocalDir(SparkEnv.get().conf()));
    queue = HybridRowQueue.apply(context.taskMemoryManager(), folder, fields);
    context.addTaskCompletionListener(
        (org.apache.spark.util.TaskCompletionListener) ended -> queue.close());
  }

  /** Adds a copy of the row. */
  void add(UnsafeRow row) {
    queue.add(row);
  }

  /** The oldest row, until the next call. */
  UnsafeRow remove() {
    return queue.remove();
  }
}
