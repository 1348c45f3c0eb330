package org.slidewise.bench.streams

import java.sql.Timestamp

import org.apache.spark.sql.{DataFrame, Encoder, Encoders}
import org.apache.spark.sql.streaming._

/** A row of the stream. */
final case class Reading(k: Int, ts: Timestamp, x: Double, v: Long)

/** A row of the stream and what is answered. */
final case class Answer(k: Int, ts: Timestamp, x: Double, v: Long, a: Double)

/** The least that a query with a state for each key can do: keep one number. Each row comes out with the row's own `x`. */
object Floors {
  implicit private val readings: Encoder[Reading] = Encoders.product[Reading]
  implicit private val answers: Encoder[Answer] = Encoders.product[Answer]
  implicit private val keys: Encoder[Int] = Encoders.scalaInt

  /** Reads and writes the number once for each key and batch. */
  def onceAKeyAndBatch(stream: DataFrame): DataFrame = keeping(stream, new OnceAKeyAndBatch)

  /** Reads and writes the number at every row. */
  def onceARow(stream: DataFrame): DataFrame = keeping(stream, new OnceARow)

  private def keeping(stream: DataFrame, processor: OneValue): DataFrame =
    stream
      .as[Reading]
      .groupByKey(_.k)
      .transformWithState(processor, TimeMode.None(), OutputMode.Append())
      .toDF()
}

abstract private[streams] class OneValue extends StatefulProcessor[Int, Reading, Answer] {
  @transient protected var kept: ValueState[Double] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    kept = getHandle.getValueState[Double]("kept", Encoders.scalaDouble, TTLConfig.NONE)

  final protected def answer(row: Reading): Answer = Answer(row.k, row.ts, row.x, row.v, row.x)
}

final private[streams] class OnceAKeyAndBatch extends OneValue {
  override def handleInputRows(key: Int, rows: Iterator[Reading], timers: TimerValues): Iterator[Answer] = {
    var sum = if (kept.exists()) kept.get() else 0.0
    def keep(): Iterator[Answer] = {
      kept.update(sum)
      Iterator.empty
    }
    rows.map { row =>
      sum += row.x
      answer(row)
    } ++ keep()
  }
}

final private[streams] class OnceARow extends OneValue {
  override def handleInputRows(key: Int, rows: Iterator[Reading], timers: TimerValues): Iterator[Answer] =
    rows.map { row =>
      kept.update((if (kept.exists()) kept.get() else 0.0) + row.x)
      answer(row)
    }
}
