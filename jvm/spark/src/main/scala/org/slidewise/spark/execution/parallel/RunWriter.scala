package org.slidewise.spark.execution.parallel

import scala.collection.AbstractIterator

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import org.slidewise.spark.execution.exchange.{BlockWrite, PartitionedBlocks}
import org.slidewise.spark.execution.rows.{LogRows, RowLog}
import org.slidewise.spark.execution.surroundings.{PartialAggregator, SurroundingFunctions}
import org.slidewise.spark.execution.task.{MemoryMetrics, TaskResources}

/** Writes the rows of a task as a run, and reports its index. */
sealed abstract private[parallel] class RunWriter(indexes: RunIndexes) extends Serializable {

  /** The rows in blocks, each with the number of its bucket, in the order in which they are written. */
  def write(run: Int, rows: Iterator[InternalRow], context: TaskContext): Iterator[Product2[Int, InternalRow]]

  /** Passes on the blocks. Reports the index of the run after the last block. */
  final protected def reporting(
      run: Int,
      blocks: Iterator[Product2[Int, InternalRow]],
      index: () => RunIndex
  ): Iterator[Product2[Int, InternalRow]] =
    new AbstractIterator[Product2[Int, InternalRow]] {
      private[this] var reported = false

      override def hasNext: Boolean = blocks.hasNext || {
        if (!reported) indexes.add(run, index())
        reported = true
        false
      }

      override def next(): Product2[Int, InternalRow] = blocks.next()
    }
}

/**
 * Writes rows as they come, as one bucket, and aggregates them. Does not report an aggregate of more than 64 KiB, because the
 * driver would get one from each task. Memory: the aggregate, and a block of rows.
 */
final private[parallel] class UnorderedRunWriter(
    functions: SurroundingFunctions,
    blockWrite: BlockWrite,
    indexes: RunIndexes
) extends RunWriter(indexes) {
  import UnorderedRunWriter.MostReported

  override def write(
      run: Int,
      rows: Iterator[InternalRow],
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val aggregate = functions.aggregator()
    var written = 0L
    val aggregated = rows.map { row =>
      aggregate.add(row)
      written += 1
      row
    }
    def index = {
      val aggregates = BucketAggregates.of(Array(aggregate))
      RunIndex.ofOneBucket(written, if (aggregates.bytes <= MostReported) Some(aggregates) else None)
    }
    reporting(run, PartitionedBlocks.ofRows(aggregated, _ => 0, blockWrite, context), () => index)
  }
}

private object UnorderedRunWriter {
  private val MostReported = 1 << 16
}

/**
 * Puts the rows of a task into buckets that follow one another in the sort order and have about the same number of rows. A sample
 * determines where the buckets begin. A task that runs again puts the same rows into the same buckets.
 *
 * Memory: all rows, which may go to files; see [[KeySample]] and [[PartitionedBlocks]]. Also the aggregate of each bucket.
 *
 * @param hashed
 *   the columns that distinguish rows if these may come in another order when the task runs again; none if the order is the same
 * @param functions
 *   the functions for which the rows of each bucket are aggregated; none if they need no aggregates
 */
final private[parallel] class OrderedRunWriter(
    order: RunOrder,
    hashed: Option[Seq[Attribute]],
    buckets: RunBuckets,
    functions: Option[SurroundingFunctions],
    input: Seq[Attribute],
    blockWrite: BlockWrite,
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
      MemoryMetrics.report(metrics, resources, log.peakMemory, log.spilledBytes)
      log.close()
    }
    val hash = hashed.map(new RowHash(_, input))
    val sample = newSample(hash)
    rows.foreach { row =>
      if (log.end % OrderedRunWriter.CheckEvery == 0) resources.stopIfCancelled()
      val read = row.asInstanceOf[UnsafeRow]
      sample.add(read)
      log.append(read)
    }
    val splitters =
      new Splitters(sample.splitters(buckets.of(log.end), order.ordering), order, input, log.end, hash)
    metrics(RunMetrics.SampleTime) += System.nanoTime() - begin
    inBuckets(run, log, splitters, context)
  }

  private def inBuckets(
      run: Int,
      log: RowLog,
      splitters: Splitters,
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val aggregates =
      functions.fold(null: Array[PartialAggregator])(f => Array.fill(splitters.buckets)(f.aggregator()))
    def bucketOf(row: InternalRow): Int = {
      val bucket = splitters.place(row.asInstanceOf[UnsafeRow])
      if (aggregates != null) aggregates(bucket).add(row)
      bucket
    }
    val blocks =
      PartitionedBlocks.ofRows(
        new LogRows(log, 0L, log.end, releases = true),
        bucketOf(_),
        blockWrite.copy(partitions = splitters.buckets),
        context
      )
    reporting(
      run,
      blocks,
      () => {
        log.close()
        splitters.index(Option(aggregates).map(BucketAggregates.of))
      }
    )
  }

  private def newSample(hash: Option[RowHash]): KeySample = {
    val key = order.keys(input)
    val most = buckets.most * OrderedRunWriter.SampledABucket
    hash.fold[KeySample](new KeySample.ByPosition(key, most))(new KeySample.ByContent(key, _, most))
  }
}

private object OrderedRunWriter {

  /**
   * The number of sampled keys for each bucket. It makes the size of a bucket exact to a third. Cuts depend on counted rows only.
   */
  private val SampledABucket = 8

  private val CheckEvery = 4096L
}

/**
 * The buckets of a run.
 *
 * @param most
 *   the maximum number
 * @param leastRows
 *   the approximate minimum number of rows of a bucket
 */
final private[parallel] case class RunBuckets(most: Int, leastRows: Long) {

  /** The number of buckets of a run with so many rows. */
  def of(rows: Long): Int = math.max(1L, math.min(most.toLong, rows / leastRows)).toInt
}

private[parallel] object RunMetrics {
  val SampleTime = "sampleTime"

  def create(context: SparkContext): Map[String, SQLMetric] = MemoryMetrics.create(context) ++ Map(
    SampleTime -> SQLMetrics.createNanoTimingMetric(context, "time in sample, including the child's")
  )
}
