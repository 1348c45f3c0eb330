package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}

import org.slidewise.spark.RefusedQuery

/** A window over a stream that cannot run, with what to change. */
final class StreamRefused(what: String, reason: String)
    extends RefusedQuery(
      StreamRefused.Condition,
      StreamRefused.SqlState,
      s"$what cannot run over a stream: $reason",
      Map("window" -> what, "reason" -> reason)
    )

object StreamRefused {
  val Condition = "SLIDEWISE_UNSUPPORTED_STREAM_WINDOW"
  val SqlState = "0A000"

  /** Window expressions for a person to read. */
  def textOf(expressions: Seq[NamedExpression]): String = expressions
    .map {
      case Alias(window, _) => window.sql
      case other            => other.sql
    }
    .mkString(", ")
}
