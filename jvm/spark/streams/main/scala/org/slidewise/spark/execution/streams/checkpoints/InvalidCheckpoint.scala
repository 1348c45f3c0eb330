package org.slidewise.spark.execution.streams.checkpoints

import org.slidewise.spark.errors.RefusedQuery

/** The error for an argument or a checkpoint that a command over checkpoints cannot use. */
final class InvalidCheckpoint(argument: String, value: String, problem: String, allowed: String)
    extends RefusedQuery(
      InvalidCheckpoint.Condition,
      InvalidCheckpoint.SqlState,
      s"$argument = $value $problem. $allowed",
      Map("argument" -> argument, "value" -> value, "problem" -> problem, "allowed" -> allowed)
    )

object InvalidCheckpoint {
  val Condition = "SLIDEWISE_INVALID_CHECKPOINT"
  val SqlState = "22023"
}
