package org.slidewise.spark.plan

import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings

/**
 * How an operator over a stream runs.
 *
 * @param eager
 *   whether rows are answered in the batch in which they arrive
 * @param keyTimeoutMicros
 *   how far the watermark passes the last row of a key before what is kept of the key is given up; none for never
 * @param lateRowsPath
 *   the directory that rows go to which come too late; none for nowhere
 */
final case class StreamOptions(
    eager: Boolean,
    keyTimeoutMicros: Option[Long],
    lateRowsPath: Option[String],
    maxStateBytes: Long,
    timeZone: String
)

object StreamOptions {
  def of(conf: SQLConf): StreamOptions = StreamOptions(
    SlidewiseSettings.streamEager(conf),
    SlidewiseSettings.streamKeyTimeoutMicros(conf),
    SlidewiseSettings.streamLateRowsPath(conf),
    SlidewiseSettings.maxStateBytes(conf),
    conf.sessionLocalTimeZone
  )
}
