package org.slidewise.spark.planning.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

/** A window over a stream that cannot run, with what to change. */
final class StreamRefused(what: String, reason: String, origin: Origin)
    extends AnalysisException(
      s"[${StreamRefused.Condition}] $what cannot run over a stream: $reason. SQLSTATE: ${StreamRefused.SqlState}",
      origin.line,
      origin.startPosition,
      None,
      Some(StreamRefused.Condition),
      Map("window" -> what, "reason" -> reason),
      origin.getQueryContext
    )

object StreamRefused {
  val Condition = "SLIDEWISE_UNSUPPORTED_STREAM_WINDOW"
  val SqlState = "0A000"
}
