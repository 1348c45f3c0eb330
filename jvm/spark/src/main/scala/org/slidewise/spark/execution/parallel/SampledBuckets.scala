package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.execution.exchange.{BlockRecord, RowBlock}
import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.surroundings.{OutsideBuilder, OutsideFunctions}
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}

/**
 * The rows of a log with their buckets, as a [[RowBlock]] for each bucket of some rows at a time; those of one bucket in their
 * order. Aggregates the rows of each bucket, if asked to.
 *
 * Memory: 4.5 KiB for each bucket, and at least 1.125 MiB, or one row if it is larger; without it, each row is a block. Also the
 * aggregate of each bucket.
 *
 * @param functions
 *   what to aggregate; nothing if none
 * @param report
 *   given the index when all rows have come
 */
final private[parallel] class SampledBuckets(
    log: RowLog,
    splitters: Splitters,
    functions: Option[OutsideFunctions],
    resources: TaskResources,
    report: RunIndex => Unit
) extends HeapMemory(resources)
    with Iterator[Product2[Int, InternalRow]] {
  import SampledBuckets._

  private[this] val rows = log.end
  private[this] val reader = log.reader()
  private[this] val wanted = math.max(LeastBytes, splitters.buckets * BytesABucket)
  private[this] val most = if (acquire(wanted + 4L * rowsIn(wanted))) rowsIn(wanted) else 1
  private[this] var bytes = new Array[Byte](if (most == 1) 0 else wanted)

  // Of the rows at hand: the first, how many there are, and their buckets in the order of the log.
  private[this] var first = 0L
  private[this] var count = 0
  private[this] val bucketOf = new Array[Int](most)

  // By bucket: where its next row is to be put, and at the end where its last one ends. Then the bucket at hand.
  private[this] val ends = new Array[Int](splitters.buckets)
  private[this] var bucket, at, end = 0

  private[this] val aggregates: Array[OutsideBuilder] =
    functions.fold(null: Array[OutsideBuilder])(f => Array.fill(splitters.buckets)(f.builder()))

  private[this] val record = new BlockRecord(splitters.buckets)
  private[this] var reported = false

  override def hasNext: Boolean = at < end || fill() || {
    if (!reported) {
      reported = true
      report(splitters.index(Option(aggregates).map(BucketAggregates.of)))
      log.close()
      releaseAll()
    }
    false
  }

  override def next(): Product2[Int, InternalRow] = {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    while (at == ends(bucket)) bucket += 1
    val from = at
    at = ends(bucket)
    record.of(bucket, bytes, from, at)
  }

  private def fill(): Boolean = {
    first += count
    count = 0
    if (first < rows) {
      resources.stopIfCancelled()
      log.release(first)
      takeRows()
      arrange()
    }
    count > 0
  }

  private def takeRows(): Unit = {
    java.util.Arrays.fill(ends, 0)
    var used = 0L
    while (count < most && first + count < rows && used < wanted) {
      val read = reader(first + count)
      val size = RowBlock.bytesOf(read)
      used += size
      if (used <= wanted || count == 0) {
        val bucket = splitters.place(read)
        bucketOf(count) = bucket
        ends(bucket) += size
        if (aggregates != null) aggregates(bucket).add(read)
        count += 1
      }
    }
  }

  private def arrange(): Unit = {
    end = 0
    var b = 0
    while (b < ends.length) {
      val size = ends(b)
      ends(b) = end
      end += size
      b += 1
    }
    if (bytes.length < end) bytes = new Array[Byte](end)
    var i = 0
    while (i < count) {
      val bucket = bucketOf(i)
      ends(bucket) = RowBlock.put(reader(first + i), bytes, ends(bucket))
      i += 1
    }
    bucket = 0
    at = 0
  }
}

private object SampledBuckets {
  private val LeastBytes = 1 << 20
  private val BytesABucket = 1 << 12
  private def rowsIn(bytes: Int): Int = bytes / 32
}
