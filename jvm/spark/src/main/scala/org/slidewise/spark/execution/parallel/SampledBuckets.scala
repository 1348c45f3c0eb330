package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.util.MutablePair

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.surroundings.{OutsideBuilder, OutsideFunctions}
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}

/**
 * The rows of a log with their buckets; those of one bucket in their order. Aggregates the rows of each bucket, if asked to.
 *
 * Some rows at a time come bucket by bucket, so that the shuffle, which has a buffer for each bucket, writes many rows to one
 * before it turns to the next.
 *
 * Memory: [[SampledBuckets.Bytes]], or one row if it is larger. Without it, the rows come one by one.
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
  private[this] val most = if (acquire(Bytes + MostRows * 8L)) MostRows else 1
  private[this] var bytes = new Array[Byte](if (most == 1) 0 else Bytes)

  // Of the rows at hand: how many there are, their buckets and sizes in the order of the log, and those handed out.
  private[this] var first = 0L
  private[this] var count, handedOut = 0
  private[this] val bucketOf, sizeOf = new Array[Int](most)

  // By bucket: where its next row is to be put, and at the end where its last one ends. Then the bucket at hand.
  private[this] val ends = new Array[Int](splitters.buckets)
  private[this] var bucket, at = 0

  private[this] val aggregates: Array[OutsideBuilder] =
    functions.fold(null: Array[OutsideBuilder])(f => Array.fill(splitters.buckets)(f.builder()))

  private[this] val row = log.newRow()
  // Boxed once for each bucket, and not for each row.
  private[this] val boxed = Array.tabulate[Any](splitters.buckets)(identity)
  private[this] val pair = new MutablePair[Any, InternalRow]()
  private[this] var reported = false

  override def hasNext: Boolean = handedOut < count || fill() || {
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
    handedOut += 1
    if (most == 1) handed(bucketOf(0), reader(first))
    else {
      while (at == ends(bucket)) bucket += 1
      val size = Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + at.toLong)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + at + 8L, size)
      at += 8 + size
      handed(bucket, row)
    }
  }

  private def handed(bucket: Int, row: InternalRow): Product2[Int, InternalRow] =
    pair.update(boxed(bucket), row).asInstanceOf[Product2[Int, InternalRow]]

  private def fill(): Boolean = {
    first += count
    count = 0
    handedOut = 0
    if (first < rows) {
      resources.stopIfCancelled()
      log.release(first)
      takeRows()
      if (most > 1) arrange()
    }
    count > 0
  }

  private def takeRows(): Unit = {
    java.util.Arrays.fill(ends, 0)
    var used = 0L
    while (count < most && first + count < rows && used < Bytes) {
      val read = reader(first + count)
      sizeOf(count) = read.getSizeInBytes
      used += 8L + read.getSizeInBytes
      if (used <= Bytes || count == 0) {
        val bucket = splitters.place(read)
        bucketOf(count) = bucket
        ends(bucket) += 8 + read.getSizeInBytes
        if (aggregates != null) aggregates(bucket).add(read)
        count += 1
      }
    }
  }

  private def arrange(): Unit = {
    var before = 0
    var b = 0
    while (b < ends.length) {
      val size = ends(b)
      ends(b) = before
      before += size
      b += 1
    }
    if (bytes.length < before) bytes = new Array[Byte](before)
    var i = 0
    while (i < count) {
      put(reader(first + i), bucketOf(i))
      i += 1
    }
    bucket = 0
    at = 0
  }

  private def put(read: UnsafeRow, bucket: Int): Unit = {
    val to = Platform.BYTE_ARRAY_OFFSET + ends(bucket).toLong
    val size = read.getSizeInBytes
    Platform.putInt(bytes, to, size)
    Platform.copyMemory(read.getBaseObject, read.getBaseOffset, bytes, to + 8L, size.toLong)
    ends(bucket) += 8 + size
  }
}

private object SampledBuckets {
  private val Bytes = 1 << 20
  private val MostRows = 1 << 15
}
