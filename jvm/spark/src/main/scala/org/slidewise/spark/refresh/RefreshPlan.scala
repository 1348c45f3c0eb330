package org.slidewise.spark.refresh

import com.fasterxml.jackson.databind.ObjectMapper

/** Numbers of rows that a refresh reads and writes. */
final private[refresh] case class Share(rowsToRead: Long, rowsToWrite: Long, rowsInTable: Long) {
  def share: Double = if (rowsInTable == 0) 0.0 else rowsToRead.toDouble / rowsInTable
}

/**
 * The plan of a refresh: the rows that it reads and writes.
 *
 * @param isWhole
 *   whether the refresh computes the whole query
 * @param keys
 *   the number of changed keys; a key with several ranges of the order key counts once for each range
 * @param first
 *   the least order key of results that may change; none without a limit
 * @param last
 *   the greatest order key of results that may change; none without a limit
 * @param rowsToRead
 *   the number of rows of the changed table from which results are computed
 * @param rowsToWrite
 *   the number of rows of the table whose results may change; a refresh writes only results that differ from the stored ones
 * @param share
 *   the rows to read, as a part of the table
 * @param reason
 *   the reason why the refresh computes the whole query, or reads more rows than the keys and frames require
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
   *   the maximum share of the table to read, if the refresh computes the whole query; none otherwise
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
 * The rows that a refresh has written.
 *
 * @param isWhole
 *   whether the refresh has computed the whole query, and replaced all rows; the counts are then 0
 */
final case class RefreshResult(isWhole: Boolean, inserted: Long, updated: Long, deleted: Long) {

  /** One JSON object in one line. */
  def json: String =
    s"""{"whole": $isWhole, "inserted": $inserted, "updated": $updated, "deleted": $deleted}"""
}
