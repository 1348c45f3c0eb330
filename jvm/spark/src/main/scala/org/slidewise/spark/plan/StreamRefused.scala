package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.slidewise.spark.errors.RefusedQuery

/** The error for a window that cannot run over a stream. The message says what to change. */
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

  /** Window expressions over `child` for a person to read. */
  def textOf(expressions: Seq[NamedExpression], child: LogicalPlan): String = {
    val computed = WindowSql.definitions(expressions.flatMap(_.references), child)
    expressions.map(WindowSql(_, computed)).mkString(", ")
  }
}
