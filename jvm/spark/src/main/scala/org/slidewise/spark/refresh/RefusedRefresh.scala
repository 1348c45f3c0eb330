package org.slidewise.spark.refresh

import org.slidewise.spark.errors.RefusedQuery

/** The error for a query, a target or changes that a refresh does not support. Nothing has been written. */
final class RefusedRefresh(reason: String, remedy: String)
    extends RefusedQuery(
      RefusedRefresh.Condition,
      RefusedRefresh.SqlState,
      s"The refresh is refused: $reason. Allowed: $remedy",
      Map("reason" -> reason, "allowed" -> remedy)
    )

object RefusedRefresh {
  val Condition = "SLIDEWISE_REFRESH_REFUSED"
  val SqlState = "0A000"

  def refuse(reason: String, remedy: String): Nothing = throw new RefusedRefresh(reason, remedy)
}
