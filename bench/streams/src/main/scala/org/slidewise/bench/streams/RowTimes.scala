package org.slidewise.bench.streams

import java.lang.management.ManagementFactory
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Encoder, Encoders}

/**
 * How long an operator takes for each row: the time between one row and the next, in the task that it runs in. What a batch
 * begins with (reading, sorting) lies before its first row and what it ends with (writing the state) after its last one, so
 * neither is in it; going over to another key is.
 *
 * The thread's processor time takes longer to ask for than most rows do. It is asked for at every [[RowTimes.Few]]th row and
 * after each row that took long, so that of such a row it is known to within the few rows before it.
 */
object RowTimes {
  private val Few = 32
  private val LongNanos = 20000L
  private val tasks = new ConcurrentLinkedQueue[Task]
  implicit private val numbers: Encoder[Double] = Encoders.scalaDouble

  /** `answers`, a column of doubles, with every row's time taken. */
  def taken(answers: DataFrame): DataFrame =
    answers.as[Double].mapPartitions(rows => new Timed(rows, tasks.add(_))).toDF("a")

  /**
   * Nanoseconds at these quantiles of all times since the last call: 0.5, 0.99, 0.999, 0.9999, 1; and then the most that a
   * row took of the processor.
   */
  def quantiles(): java.util.List[Long] = {
    val done = tasks.asScala.toArray
    val all = done.flatMap(_.times).sorted
    tasks.clear()
    val quantiles = Seq(0.5, 0.99, 0.999, 0.9999, 1.0).map(q => all(math.ceil(q * (all.length - 1)).toInt))
    (quantiles :+ done.map(_.mostOfProcessor).max).asJava
  }

  final private case class Task(times: Array[Long], mostOfProcessor: Long)

  final private class Timed(rows: Iterator[Double], done: Task => Unit) extends Iterator[Double] {
    private[this] val threads = ManagementFactory.getThreadMXBean
    private[this] var times = new Array[Long](1 << 16)
    private[this] var count = 0
    private[this] var last, processor, mostOfProcessor = 0L
    private[this] var asked, more = false

    override def hasNext: Boolean = {
      if (!asked) {
        more = rows.hasNext
        asked = true
        if (more) {
          if (last == 0L) processor = threads.getCurrentThreadCpuTime else add(System.nanoTime() - last)
          last = System.nanoTime()
        } else done(Task(java.util.Arrays.copyOf(times, count), mostOfProcessor))
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
      if (time > LongNanos || count % Few == 0) {
        val now = threads.getCurrentThreadCpuTime
        if (time > LongNanos) mostOfProcessor = math.max(mostOfProcessor, now - processor)
        processor = now
      }
    }
  }
}
