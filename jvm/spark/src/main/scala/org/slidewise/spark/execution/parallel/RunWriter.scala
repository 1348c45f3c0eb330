package org.slidewise.spark.execution.parallel

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.util.MutablePair

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.sorting.{PartitionSorter, SortSpec}
import org.slidewise.spark.execution.task.{MeasuredResource, TaskResources}

/**
 * Puts the rows of a task into buckets that follow one another in the sort order, and have about the same number of rows. A task
 * that runs again puts the same rows into the same buckets, and rows that tie into the same places.
 *
 * If the child returns its rows in the same order again, the rows stay in their order within a bucket, and a sample decides where
 * buckets begin. Otherwise all rows are sorted, also by their content.
 *
 * @param sorts
 *   whether all rows are sorted
 * @param buckets
 *   at most how many each run has
 */
final private[parallel] class RunWriter(
    spec: RunOrder,
    sorts: Boolean,
    buckets: Int,
    input: Seq[Attribute],
    indexes: RunIndexes,
    metrics: Map[String, SQLMetric]
) extends Serializable {

  def write(run: Int, rows: Iterator[InternalRow], context: TaskContext): Iterator[Product2[Int, InternalRow]] = {
    def report(index: RunIndex): Unit = indexes.add(run -> index)
    if (rows.isEmpty) {
      report(new RunIndex.Builder(spec.columns).result(0L))
      Iterator.empty
    } else {
      val begin = System.nanoTime()
      val written =
        if (sorts) sort(rows, context, report) else sample(rows, context, report)
      metrics(RunMetrics.SortTime) += System.nanoTime() - begin
      written
    }
  }

  private def sort(
      rows: Iterator[InternalRow],
      context: TaskContext,
      report: RunIndex => Unit
  ): Iterator[Product2[Int, InternalRow]] = {
    val byContent = SortOrder(new XxHash64(input), Ascending)
    val order = new SortSpec(spec.partition, spec.order :+ byContent, spec.radixInSpark, spec.order.size + 1)
    val sorter = new PartitionSorter(new TaskResources(context), input, order)
    closeAtEnd(sorter, context)
    val sorted = sorter.sort(rows)
    new SortedBuckets(sorted, sorter.rows, bucketsOf(sorter.rows), spec.keys(input), spec.columns, report)
  }

  private def sample(
      rows: Iterator[InternalRow],
      context: TaskContext,
      report: RunIndex => Unit
  ): Iterator[Product2[Int, InternalRow]] = {
    val resources = new TaskResources(context)
    val log = RowLog.of(input, resources)
    closeAtEnd(log, context)
    val key = spec.keys(input)
    val sample = new KeySample(key, buckets * RunWriter.SampledABucket)
    rows.foreach { row =>
      if (log.end % RunWriter.CheckEvery == 0) resources.stopIfCancelled()
      val read = row.asInstanceOf[UnsafeRow]
      sample.add(read)
      log.append(read)
    }
    val splitters = sample.splitters(bucketsOf(log.end), spec.ordering)
    new SampledBuckets(log, new Splitters(splitters, spec, input, log.end), resources, report)
  }

  private def bucketsOf(rows: Long): Int =
    math.max(1L, math.min(buckets.toLong, rows / RunWriter.FewestRows)).toInt

  private def closeAtEnd(resource: MeasuredResource, context: TaskContext): Unit =
    context.addTaskCompletionListener[Unit] { _ =>
      metrics(RunMetrics.Memory) += resource.peakMemory
      metrics(RunMetrics.Spill) += resource.spilledBytes
      resource.close()
    }
}

private[parallel] object RunWriter {

  /** A bucket of fewer rows would cost more than it saves. */
  private val FewestRows = 64L

  /** As many sampled keys for each bucket make its size exact to a quarter. */
  private val SampledABucket = 16

  val CheckEvery = 4096L
}

/** Rows with their buckets, from rows in order. */
final private class SortedBuckets(
    sorted: Iterator[InternalRow],
    rows: Long,
    count: Int,
    key: UnsafeProjection,
    columns: Int,
    report: RunIndex => Unit
) extends Iterator[Product2[Int, InternalRow]] {
  private[this] val index = new RunIndex.Builder(columns)
  private[this] val pair = new MutablePair[Int, InternalRow]()
  private[this] var position, nextStart = 0L
  private[this] var bucket = -1
  private[this] var reported = false

  override def hasNext: Boolean = {
    val more = sorted.hasNext
    if (!more && !reported) {
      reported = true
      report(index.result(rows))
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
