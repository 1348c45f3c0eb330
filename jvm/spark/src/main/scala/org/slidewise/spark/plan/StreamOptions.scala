package org.slidewise.spark.plan

import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings

/**
 * The options of an operator over a stream.
 *
 * @param eager
 *   whether rows are answered in the batch in which they arrive
 * @param keyTimeoutMicros
 *   the time in microseconds by which the watermark passes the last row of a key before the state of the key is removed; none for
 *   never
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
