package org.slidewise.spark.execution.parallel

import scala.collection.AbstractIterator

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.blocks.{BlockDecoder, BlockLayout, BlockRows, DecodedRows}
import org.slidewise.spark.execution.exchange.{BlockPartitions, BlockWrite, PartitionedBlocks, PartitionIds}
import org.slidewise.spark.execution.rows.{LogRows, RowLog}
import org.slidewise.spark.execution.surroundings.SurroundingFunctions
import org.slidewise.spark.execution.task.{MemoryMetrics, TaskResources}

/** The input rows of a task that writes a run: rows or batches. */
sealed abstract private[parallel] class RunInput {

  /** Encodes the rows as blocks of one partition. Passes each row to `row`, or each batch to `batch`, before it is encoded. */
  def inBlocks(write: BlockWrite, context: TaskContext)(
      row: InternalRow => Unit,
      batch: ColumnarBatch => Unit
  ): PartitionedBlocks
}

private[parallel] object RunInput {
  final class Rows(rows: Iterator[InternalRow]) extends RunInput {
    override def inBlocks(write: BlockWrite, context: TaskContext)(
        row: InternalRow => Unit,
        batch: ColumnarBatch => Unit
    ): PartitionedBlocks = PartitionedBlocks.ofRows(shown(rows, row), _ => 0, write, context)
  }

  final class Batches(batches: Iterator[ColumnarBatch]) extends RunInput {
    override def inBlocks(write: BlockWrite, context: TaskContext)(
        row: InternalRow => Unit,
        batch: ColumnarBatch => Unit
    ): PartitionedBlocks =
      PartitionedBlocks.ofBatches(shown(batches, batch), PartitionIds.One, write, context)
  }

  private def shown[T](all: Iterator[T], show: T => Unit): Iterator[T] = all.map { one =>
    show(one)
    one
  }
}

/** Writes the rows of a task as a run, and reports its index. */
sealed abstract private[parallel] class RunWriter(indexes: RunIndexes) extends Serializable {

  /** The rows in blocks, each with the number of its bucket, in the order in which they are written. */
  def write(run: Int, rows: RunInput, context: TaskContext): Iterator[Product2[Int, InternalRow]]

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
 * Writes the rows in the order of arrival, as one bucket, and aggregates them. Does not report an aggregate of more than 64 KiB,
 * because each task sends its aggregate to the driver. Memory: the aggregate, and a block of rows.
 */
final private[parallel] class UnorderedRunWriter(
    functions: SurroundingFunctions,
    blockWrite: BlockWrite,
    indexes: RunIndexes
) extends RunWriter(indexes) {
  import UnorderedRunWriter.MostReported

  override def write(
      run: Int,
      rows: RunInput,
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val aggregate = functions.aggregator()
    var written = 0L
    def add(row: InternalRow): Unit = {
      aggregate.add(row)
      written += 1
    }
    val blocks = rows.inBlocks(blockWrite, context)(add, _.rowIterator.forEachRemaining(add(_)))
    def index = {
      val aggregates = BucketAggregates.of(Array(aggregate))
      RunIndex.ofOneBucket(written, if (aggregates.bytes <= MostReported) Some(aggregates) else None)
    }
    reporting(run, blocks, () => index)
  }
}

private object UnorderedRunWriter {
  private val MostReported = 1 << 16
}

/**
 * Puts the rows of a task into buckets that follow one another in the sort order and have about the same number of rows. A sample
 * determines where the buckets begin. A task that runs again puts the same rows into the same buckets.
 *
 * Memory: all rows in blocks, which may go to files; see [[KeySample]] and [[PartitionedBlocks]]. Also the aggregate of each
 * bucket.
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
      rows: RunInput,
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val begin = System.nanoTime()
    val resources = new TaskResources(context)
    val log = new RowLog(resources, fields = 0, rowSize = -1)
    context.addTaskCompletionListener[Unit] { _ =>
      MemoryMetrics.report(metrics, resources, log.peakMemory, log.spilledBytes)
      log.close()
    }
    val hash = hashed.map(new RowHash(_, input))
    val sample = newSample(hash)
    var count = 0L
    rows
      .inBlocks(whileWaiting, context)(
        row => {
          sample.add(row)
          count += 1
        },
        batch => {
          sample.add(batch)
          count += batch.numRows
        }
      )
      .foreach(block => log.append(block._2.asInstanceOf[UnsafeRow]))
    val splitters =
      new Splitters(sample.splitters(buckets.of(count), order.ordering), order, input, count, hash)
    metrics(RunMetrics.SampleTime) += System.nanoTime() - begin
    inBuckets(run, log, splitters, context)
  }

  /**
   * The format of blocks that wait in the log. The exchange's metrics count the rows only when they are written to the shuffle.
   */
  private def whileWaiting: BlockWrite = {
    def uncounted = new SQLMetric("sum")
    BlockWrite(blockWrite.layout, partitions = 1, hashed = false, uncounted, uncounted, plain = true)
  }

  private def inBuckets(
      run: Int,
      log: RowLog,
      splitters: Splitters,
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val rows = new BlockRows(
      new LogRows(log, 0L, log.end, releases = true, OrderedRunWriter.ReleaseEvery),
      blockWrite.layout,
      plain = true
    )
    val aggregates =
      functions.map(f => new AggregatedBuckets(f, splitters.buckets, input, blockWrite.layout))
    val ids = new BucketsOfRows(splitters, new BlockKeys(splitters.prefixColumns, rows), aggregates.orNull)
    val blocks =
      PartitionedBlocks.ofBlocks(rows, ids, blockWrite.copy(partitions = splitters.buckets), context)
    reporting(
      run,
      blocks,
      () => {
        log.close()
        splitters.index(aggregates.map(_.result()))
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
   * The number of sampled keys for each bucket. With this number, the size of a bucket is exact to a third. Cuts depend only on
   * counted rows.
   */
  private val SampledABucket = 8

  private val ReleaseEvery = 16L
}

/** Finds the buckets of the rows of blocks, and aggregates the rows of each bucket if any function needs aggregates. */
final private class BucketsOfRows(splitters: Splitters, keys: BlockKeys, aggregates: AggregatedBuckets)
    extends BlockPartitions {

  override def begin(block: BlockDecoder): Unit = {
    keys.begin(block)
    if (aggregates != null) aggregates.begin(block)
  }

  override def of(row: Int): Int = {
    keys.turnTo(row)
    val bucket = splitters.place(keys)
    if (aggregates != null) aggregates.add(bucket, row)
    bucket
  }
}

/** Aggregates the rows of each bucket. Reads only the columns that the functions need. */
final private class AggregatedBuckets(
    functions: SurroundingFunctions,
    buckets: Int,
    input: Seq[Attribute],
    layout: BlockLayout
) {
  private[this] val aggregators = Array.fill(buckets)(functions.aggregator())
  private[this] val rows =
    new DecodedRows(layout, functions.input.map(a => input.indexWhere(_.exprId == a.exprId)).toArray, 0)
  private[this] val row = new UnsafeRow(functions.input.size)

  def begin(block: BlockDecoder): Unit = rows.write(block)

  def add(bucket: Int, number: Int): Unit = {
    rows.pointTo(row, number)
    aggregators(bucket).add(row)
  }

  def result(): BucketAggregates = BucketAggregates.of(aggregators)
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

  /** The number of buckets of a run with `rows` rows. */
  def of(rows: Long): Int = math.max(1L, math.min(most.toLong, rows / leastRows)).toInt
}

private[parallel] object RunMetrics {
  val SampleTime = "sampleTime"

  def create(context: SparkContext): Map[String, SQLMetric] = MemoryMetrics.create(context) ++ Map(
    SampleTime -> SQLMetrics.createNanoTimingMetric(context, "time in sample, including the child's")
  )
}
