package org.slidewise.spark.execution.parallel

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** A sample of the keys of some rows, which is the same when the task runs again. */
sealed abstract private[parallel] class KeySample {
  def add(row: InternalRow): Unit

  /** Adds the rows of a batch, in their order. */
  def add(batch: ColumnarBatch): Unit = {
    var row = 0
    while (row < batch.numRows) {
      add(batch.getRow(row))
      row += 1
    }
  }

  /** The sampled keys, each with the number of rows that it stands for. */
  protected def weighted: Seq[(UnsafeRow, Long)]

  /**
   * The least keys of the buckets after the first bucket, for buckets of about the same size. Returns fewer keys than requested
   * if they would take more than [[KeySample.MostSplitterBytes]].
   */
  final def splitters(buckets: Int, order: Ordering[InternalRow]): Array[UnsafeRow] = {
    val sorted = weighted.sortBy(_._1)(order.asInstanceOf[Ordering[UnsafeRow]])
    @tailrec def fitting(wanted: Int): Array[UnsafeRow] = {
      val found = evenly(sorted, wanted)
      val bytes = found.map(_.getSizeInBytes.toLong).sum
      if (bytes <= KeySample.MostSplitterBytes) found
      else fitting(math.min(wanted - 1L, wanted * KeySample.MostSplitterBytes / bytes).toInt)
    }
    fitting(buckets)
  }

  private def evenly(sorted: Seq[(UnsafeRow, Long)], buckets: Int): Array[UnsafeRow] = {
    val total = sorted.map(_._2).sum
    val found = new Array[UnsafeRow](if (sorted.isEmpty) 0 else math.max(0, buckets - 1))
    var next = 0
    var before = 0L
    sorted.foreach { case (key, weight) =>
      before += weight
      while (next < found.length && before * buckets > total * (next + 1L)) {
        found(next) = key
        next += 1
      }
    }
    found
  }
}

private[parallel] object KeySample {

  /** The maximum size of a sample, in bytes. A sample of large keys holds fewer keys. */
  val MostBytes: Long = 16L << 20

  /** The maximum size of the splitters of a task, in bytes. Each task sends its splitters to the driver. */
  val MostSplitterBytes: Long = 1L << 20

  /**
   * Samples every `n`th row, where `n` grows with the number of rows. Memory: at most `most` keys, and [[MostBytes]] or one key.
   */
  final class ByPosition(key: UnsafeProjection, most: Int) extends KeySample {
    private[this] val keys = new Array[UnsafeRow](most)
    private[this] var count = 0
    private[this] var bytes = 0L
    private[this] var every, untilNext = 1L

    override def add(row: InternalRow): Unit = {
      untilNext -= 1
      if (untilNext == 0L) take(row)
    }

    override def add(batch: ColumnarBatch): Unit = {
      var passed = 0L
      while (untilNext <= batch.numRows - passed) {
        passed += untilNext
        take(batch.getRow(passed.toInt - 1))
      }
      untilNext -= batch.numRows - passed
    }

    private def take(row: InternalRow): Unit = {
      if (count == most) thin()
      keys(count) = key(row).copy()
      bytes += keys(count).getSizeInBytes
      count += 1
      while (bytes > MostBytes && count > 1) thin()
      untilNext = every
    }

    private def thin(): Unit = {
      count = (count + 1) / 2
      for (i <- 0 until count) keys(i) = keys(2 * i)
      java.util.Arrays.fill(keys.asInstanceOf[Array[AnyRef]], count, most, null)
      bytes = keys.iterator.take(count).map(_.getSizeInBytes.toLong).sum
      every *= 2
    }

    override protected def weighted: Seq[(UnsafeRow, Long)] = keys.take(count).toSeq.map(_ -> 1L)
  }

  /**
   * Samples the rows whose hash is below a limit. The limit falls as the number of rows grows. Rows with the same hash are one
   * sample with a weight. The sample does not depend on the order of the rows. Memory: at most `most` keys, and [[MostBytes]].
   */
  final class ByContent(key: UnsafeProjection, hash: RowHash, most: Int) extends KeySample {
    private[this] val found = new java.util.HashMap[java.lang.Long, Sampled]
    private[this] var bytes = 0L
    private[this] var shift = 0 // a hash is below the limit if its first bits are zero

    override def add(row: InternalRow): Unit = {
      val hashed = hash(row)
      if (isSampled(hashed)) {
        val known = found.get(hashed)
        if (known != null) known.rows += 1
        else {
          val sampled = new Sampled(key(row).copy())
          found.put(hashed, sampled)
          bytes += sampled.key.getSizeInBytes
          while (found.size > most || bytes > MostBytes && !found.isEmpty) thin()
        }
      }
    }

    private def thin(): Unit = {
      shift += 1
      found.entrySet.removeIf { entry =>
        val falls = !isSampled(entry.getKey)
        if (falls) bytes -= entry.getValue.key.getSizeInBytes
        falls
      }
    }

    private def isSampled(hashed: Long): Boolean = shift == 0 || shift < 64 && (hashed >>> (64 - shift)) == 0L

    override protected def weighted: Seq[(UnsafeRow, Long)] = {
      val keys = Seq.newBuilder[(UnsafeRow, Long)]
      found.forEach((_, sampled) => keys += sampled.key -> sampled.rows)
      keys.result()
    }
  }

  final private class Sampled(val key: UnsafeRow) {
    var rows = 1L
  }
}
