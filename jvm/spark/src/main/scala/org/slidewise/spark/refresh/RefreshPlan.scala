package org.slidewise.spark.refresh

import com.fasterxml.jackson.databind.ObjectMapper

/** Numbers of rows that a refresh reads and writes. */
final private[refresh] case class Share(rowsToRead: Long, rowsToWrite: Long, rowsInTable: Long) {
  def share: Double = if (rowsInTable == 0) 0.0 else rowsToRead.toDouble / rowsInTable
}

/**
 * What a refresh reads and writes.
 *
 * @param isWhole
 *   whether it computes the whole query
 * @param keys
 *   the number of changed keys; if one has several ranges of the order key, each counts
 * @param first
 *   the least order key of results that may change; none without a limit
 * @param last
 *   the greatest one
 * @param rowsToRead
 *   the number of rows of the changed table that results are computed from
 * @param rowsToWrite
 *   the number of rows of the table whose results may change: only those that differ from the stored ones are written
 * @param share
 *   the rows to read, as a part of the table
 * @param reason
 *   why the whole query is computed, or why more rows are read than the keys and frames need
 */
final case class RefreshPlan(
    isWhole: Boolean,
    keys: Long,
    first: Option[String],
    last: Option[String],
    rowsToRead: Long,
    rowsToWrite: Long,
    share: Double,
    reason: Option[String]
) {

  /** One JSON object in one line. */
  def json: String = {
    val node = RefreshPlan.mapper.createObjectNode()
    node.put("whole", isWhole)
    node.put("keys", keys)
    node.put("first", first.orNull)
    node.put("last", last.orNull)
    node.put("rows_to_read", rowsToRead)
    node.put("rows_to_write", rowsToWrite)
    node.put("share", share)
    node.put("reason", reason.orNull)
    node.toString
  }
}

object RefreshPlan {
  private val mapper = new ObjectMapper

  /**
   * @param most
   *   the share of the table past which the whole query is computed, if it is
   */
  private[refresh] def of(
      query: Maintained,
      zones: Zones,
      share: Share,
      most: Option[Double]
  ): RefreshPlan = {
    val whole = most.map { limit =>
      if (query.isWhole) "results of all rows may change"
      else f"${share.share * 100}%.0f %% of the rows are read, and past ${limit * 100}%.0f %% all are"
    }
    RefreshPlan(
      whole.isDefined,
      zones.count,
      zones.results.first.map(_.toString),
      zones.results.last.map(_.toString),
      share.rowsToRead,
      share.rowsToWrite,
      share.share,
      Some((whole.toSeq ++ query.notes).mkString("; ")).filter(_.nonEmpty)
    )
  }
}

/**
 * What a refresh has written.
 *
 * @param isWhole
 *   whether it has computed the whole query, and replaced all rows; the counts are then 0
 */
final case class RefreshResult(isWhole: Boolean, inserted: Long, updated: Long, deleted: Long) {

  /** One JSON object in one line. */
  def json: String =
    s"""{"whole": $isWhole, "inserted": $inserted, "updated": $updated, "deleted": $deleted}"""
}
