package org.slidewise.spark.execution.parallel

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.util.MutablePair

import org.slidewise.spark.execution.sorting.{PartitionSorter, SortSpec}
import org.slidewise.spark.execution.task.TaskResources

/**
 * Sorts the rows of a task, and tells of each which bucket of the run it belongs to.
 *
 * @param keyColumns
 *   how many of `order` are in the key of a row; what follows decides between rows that tie
 */
final private[parallel] class RunWriter(
    partitionSpec: Seq[Expression],
    order: Seq[SortOrder],
    keyColumns: Int,
    radixInSpark: Boolean,
    buckets: Int,
    input: Seq[Attribute],
    indexes: RunIndexes,
    metrics: Map[String, SQLMetric]
) extends Serializable {

  def write(run: Int, rows: Iterator[InternalRow], context: TaskContext): Iterator[Product2[Int, InternalRow]] = {
    val sorter = new PartitionSorter(
      new TaskResources(context),
      input,
      new SortSpec(partitionSpec, order, radixInSpark, peers = order.size)
    )
    context.addTaskCompletionListener[Unit] { _ =>
      metrics(RunMetrics.Memory) += sorter.peakMemory
      metrics(RunMetrics.Spill) += sorter.spilledBytes
      sorter.close()
    }
    val begin = System.nanoTime()
    val sorted = sorter.sort(rows)
    metrics(RunMetrics.SortTime) += System.nanoTime() - begin
    new Buckets(run, sorted, sorter.rows)
  }

  final private class Buckets(run: Int, sorted: Iterator[InternalRow], rows: Long)
      extends Iterator[Product2[Int, InternalRow]] {
    private[this] val count = math.max(1L, math.min(buckets.toLong, rows / RunWriter.FewestRows))
    private[this] val key = RangeRows.keys(partitionSpec, order.take(keyColumns), input)
    private[this] val index = new RunIndex.Builder(partitionSpec.size + keyColumns)
    private[this] val pair = new MutablePair[Int, InternalRow]()
    private[this] var position, nextStart = 0L
    private[this] var bucket = -1
    private[this] var reported = false

    override def hasNext: Boolean = {
      val more = sorted.hasNext
      if (!more && !reported) {
        reported = true
        indexes.add(run -> index.result(rows))
      }
      more
    }

    override def next(): Product2[Int, InternalRow] = {
      val row = sorted.next()
      if (position == nextStart) {
        bucket += 1
        index.add(position, key(row))
        nextStart = math.multiplyExact(bucket + 1L, rows) / count
      }
      position += 1
      pair.update(bucket, row)
    }
  }
}

private object RunWriter {

  /** A bucket of fewer rows would cost more than it saves. */
  val FewestRows = 64L
}

private[parallel] object RunMetrics {
  val DataSize = "dataSize"
  val SortTime = "sortTime"
  val Memory = "peakMemory"
  val Spill = "spillSize"

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    DataSize -> SQLMetrics.createSizeMetric(context, "data size"),
    SortTime -> SQLMetrics.createNanoTimingMetric(context, "time in sort, including the child's"),
    Memory -> SQLMetrics.createSizeMetric(context, "peak memory"),
    Spill -> SQLMetrics.createSizeMetric(context, "spill size")
  )
}
