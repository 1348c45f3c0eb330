package org.slidewise.spark.execution.parallel

import scala.collection.AbstractIterator

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.util.MutablePair

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.surroundings.OutsideFunctions
import org.slidewise.spark.execution.task.TaskResources

/** Writes the rows of a task as a run, and reports its index. */
sealed abstract private[parallel] class RunWriter(indexes: RunIndexes) extends Serializable {

  /** The rows with their buckets, in the order in which they are written. */
  def write(run: Int, rows: Iterator[InternalRow], context: TaskContext): Iterator[Product2[Int, InternalRow]]

  final protected def report(run: Int, index: RunIndex): Unit = indexes.add(run, index)
}

/**
 * Writes rows as they come, as one bucket, and aggregates them. Reports no aggregate of more than 64 KiB: the driver would get one
 * from each task. Memory: the aggregate, and 64 KiB, or one row if it is larger.
 */
final private[parallel] class UnorderedRunWriter(
    functions: OutsideFunctions,
    indexes: RunIndexes,
    metrics: Map[String, SQLMetric]
) extends RunWriter(indexes) {

  override def write(
      run: Int,
      rows: Iterator[InternalRow],
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = new AbstractIterator[Product2[Int, InternalRow]] {
    private[this] val resources = new TaskResources(context)
    private[this] val aggregate = functions.builder()
    private[this] var bytes = new Array[Byte](UnorderedRunWriter.BlockBytes)
    private[this] val block = new UnsafeRow(0)
    private[this] val pair = new MutablePair[Any, InternalRow](0, block)
    private[this] var waiting: UnsafeRow = _ // has come, and found no place in the last block
    private[this] var written = 0L
    private[this] var reported = false

    override def hasNext: Boolean = waiting != null || rows.hasNext || {
      if (!reported) {
        reported = true
        metrics(RunMetrics.Rows) += written
        val aggregates = BucketAggregates.of(Array(aggregate))
        report(
          run,
          RunIndex.ofOneBucket(
            written,
            if (aggregates.bytes <= UnorderedRunWriter.MostReported) Some(aggregates) else None
          )
        )
      }
      false
    }

    override def next(): Product2[Int, InternalRow] = {
      resources.stopIfCancelled()
      var end = 0
      if (waiting == null) waiting = take()
      while (waiting != null && (end == 0 || end + RowBlock.bytesOf(waiting) <= bytes.length)) {
        if (RowBlock.bytesOf(waiting) > bytes.length) bytes = new Array[Byte](RowBlock.bytesOf(waiting))
        end = RowBlock.put(waiting, bytes, end)
        written += 1
        waiting = if (rows.hasNext) take() else null
      }
      RowBlock.point(block, bytes, 0, end)
      pair.asInstanceOf[Product2[Int, InternalRow]]
    }

    private def take(): UnsafeRow = {
      val row = rows.next().asInstanceOf[UnsafeRow]
      aggregate.add(row)
      row
    }
  }
}

private object UnorderedRunWriter {
  private val BlockBytes = 1 << 16
  private val MostReported = 1 << 16
}

/**
 * Puts the rows of a task into buckets that follow one another in the sort order, and have about the same number of rows; a sample
 * decides where they begin. A task that runs again puts the same rows into the same buckets.
 *
 * @param byContent
 *   whether the child may return its rows in another order when the task runs again
 * @param buckets
 *   at most how many each run has
 * @param functions
 *   which the rows of each bucket are aggregated for; none if they need no aggregates
 */
final private[parallel] class OrderedRunWriter(
    order: RunOrder,
    byContent: Boolean,
    buckets: Int,
    functions: Option[OutsideFunctions],
    input: Seq[Attribute],
    indexes: RunIndexes,
    metrics: Map[String, SQLMetric]
) extends RunWriter(indexes) {

  override def write(
      run: Int,
      rows: Iterator[InternalRow],
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val begin = System.nanoTime()
    val resources = new TaskResources(context)
    val log = RowLog.of(input, resources)
    context.addTaskCompletionListener[Unit] { _ =>
      metrics(RunMetrics.Memory) += log.peakMemory
      metrics(RunMetrics.Spill) += log.spilledBytes
      log.close()
    }
    val sample = newSample()
    rows.foreach { row =>
      if (log.end % OrderedRunWriter.CheckEvery == 0) resources.stopIfCancelled()
      val read = row.asInstanceOf[UnsafeRow]
      sample.add(read)
      log.append(read)
    }
    val splitters =
      new Splitters(sample.splitters(bucketsOf(log.end), order.ordering), order, input, log.end, byContent)
    metrics(RunMetrics.Rows) += log.end
    metrics(RunMetrics.SampleTime) += System.nanoTime() - begin
    new SampledBuckets(log, splitters, functions, resources, report(run, _))
  }

  private def newSample(): KeySample = {
    val key = order.keys(input)
    val most = buckets * OrderedRunWriter.SampledABucket
    if (byContent) new KeySample.ByContent(key, most) else new KeySample.ByPosition(key, most)
  }

  private def bucketsOf(rows: Long): Int =
    math.max(1L, math.min(buckets.toLong, rows / OrderedRunWriter.FewestRows)).toInt
}

private object OrderedRunWriter {

  /** A bucket of fewer rows would cost more than it saves. */
  private val FewestRows = 64L

  /** As many sampled keys for each bucket make its size exact to a third. Cuts depend on counted rows only. */
  private val SampledABucket = 8

  private val CheckEvery = 4096L
}

private[parallel] object RunMetrics {
  val DataSize = "dataSize"
  val Rows = "numRows"
  val SampleTime = "sampleTime"
  val Memory = "peakMemory"
  val Spill = "spillSize"

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    DataSize -> SQLMetrics.createSizeMetric(context, "data size"),
    Rows -> SQLMetrics.createMetric(context, "number of rows"),
    SampleTime -> SQLMetrics.createNanoTimingMetric(context, "time in sample, including the child's"),
    Memory -> SQLMetrics.createSizeMetric(context, "peak memory"),
    Spill -> SQLMetrics.createSizeMetric(context, "spill size")
  )
}
