package org.slidewise.bench.streams

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Encoder, Encoders}

/**
 * How long an operator takes for each row: the time between one row and the next, in the task that it runs in. What a batch
 * begins with (reading, sorting) lies before its first row and what it ends with (writing the state) after its last one, so
 * neither is in it; going over to another key is.
 */
object RowTimes {
  private val tasks = new ConcurrentLinkedQueue[Array[Long]]
  implicit private val numbers: Encoder[Double] = Encoders.scalaDouble

  /** `answers`, a column of doubles, with every row's time taken. */
  def taken(answers: DataFrame): DataFrame =
    answers.as[Double].mapPartitions(rows => new Timed(rows, tasks.add(_))).toDF("a")

  /** Nanoseconds at these quantiles of all times since the last call: 0.5, 0.99, 0.999, 0.9999, 1. */
  def quantiles(): java.util.List[Long] = {
    val all = tasks.asScala.toArray.flatten.sorted
    tasks.clear()
    Seq(0.5, 0.99, 0.999, 0.9999, 1.0).map(q => all(math.ceil(q * (all.length - 1)).toInt)).asJava
  }

  final private class Timed(rows: Iterator[Double], done: Array[Long] => Unit) extends Iterator[Double] {
    private[this] var times = new Array[Long](1 << 16)
    private[this] var count = 0
    private[this] var last = 0L
    private[this] var asked, more = false

    override def hasNext: Boolean = {
      if (!asked) {
        val begin = if (last == 0L) System.nanoTime() else last
        more = rows.hasNext
        asked = true
        if (more) {
          val now = System.nanoTime()
          if (last != 0L) add(now - begin)
          last = now
        } else done(java.util.Arrays.copyOf(times, count))
      }
      more
    }

    override def next(): Double = {
      if (!hasNext) throw new NoSuchElementException("no more rows")
      asked = false
      rows.next()
    }

    private def add(time: Long): Unit = {
      if (count == times.length) times = java.util.Arrays.copyOf(times, count * 2)
      times(count) = time
      count += 1
    }
  }
}
