package org.slidewise.spark.plan

import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings

/**
 * The options of an operator over a stream.
 *
 * @param eager
 *   whether the operator emits the result of a row in the batch in which the row arrives
 * @param keyTimeoutMicros
 *   the time in microseconds for which frames without a limit in time keep the state of a key, once the watermark has passed the
 *   key's last row; none for ever
 * @param lateRowsPath
 *   the directory for rows that come too late; none if they are not written
 */
final case class StreamOptions(
    eager: Boolean,
    keyTimeoutMicros: Option[Long],
    lateRowsPath: Option[String],
    maxStateBytes: Long
)

object StreamOptions {
  def of(conf: SQLConf): StreamOptions = StreamOptions(
    SlidewiseSettings.streamEager(conf),
    SlidewiseSettings.streamKeyTimeoutMicros(conf),
    SlidewiseSettings.streamLateRowsPath(conf),
    SlidewiseSettings.maxStateBytes(conf)
  )
}
