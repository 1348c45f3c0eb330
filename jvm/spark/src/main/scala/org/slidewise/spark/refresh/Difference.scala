package org.slidewise.spark.refresh

import org.apache.spark.sql.{functions, DataFrame}
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.storage.StorageLevel

/**
 * The rows of a target that differ from the results that should stand there: one row for each, with its operation, the values to write
 * and the values that were read.
 *
 * Memory: these rows, in Spark's storage memory, on disk where that is full. `close` gives it back.
 */
final private[refresh] class Difference private (val rows: DataFrame, columns: StructType)
    extends AutoCloseable {
  import Difference._

  private val counts: Map[String, Long] =
    rows.groupBy(Operation).count().collect().map(row => row.getString(0) -> row.getLong(1)).toMap

  def inserted: Long = counts.getOrElse(Insert, 0L)
  def updated: Long = counts.getOrElse(Update, 0L)
  def deleted: Long = counts.getOrElse(Delete, 0L)
  def isEmpty: Boolean = counts.isEmpty

  /** The rows to write, with the columns of the target. */
  def written: DataFrame =
    rows
      .where(s"$Operation != '$Delete'")
      .selectExpr(columns.fieldNames.toSeq.map(name => s"$New.${quoteIdentifier(name)}"): _*)

  override def close(): Unit = rows.unpersist()
}

private[refresh] object Difference {
  val Operation = "operation"
  val New = "new_row"
  val Old = "old_row"
  val Insert = "insert"
  val Update = "update"
  val Delete = "delete"

  /**
   * @param results
   *   the rows that should be in the target, with its columns
   * @param stored
   *   the rows of the target in their place
   * @param keys
   *   the columns that identify a row; nulls are equal
   */
  def of(results: DataFrame, stored: DataFrame, keys: Seq[String]): Difference = {
    val names = results.schema.fieldNames.toSeq.map(quoteIdentifier)
    val row = s"struct(${names.mkString(", ")})"
    val identity = keys.map(quoteIdentifier)
    val kind = results.selectExpr(s"$row AS r").schema.head.dataType.sql
    val none = s"CAST(NULL AS $kind)"
    val sides = results
      .selectExpr(identity ++ Seq(s"$row AS $New", s"$none AS $Old"): _*)
      .union(stored.selectExpr(identity ++ Seq(s"$none AS $New", s"$row AS $Old"): _*))
    val paired = sides
      .groupBy(identity.map(sides.apply): _*)
      .agg(
        functions.expr(s"first($New, true) AS $New"),
        Seq(
          s"first($Old, true) AS $Old",
          s"count($New) AS results",
          s"count($Old) AS stored"
        ).map(functions.expr): _*
      )
    val shown = s"to_json(struct(${identity.mkString(", ")}))"
    def once(count: String, what: String) =
      s"IF($count <= 1, true, CAST(raise_error(concat('$Repeated', $shown, ': $what has ', $count, ' rows with them')) AS BOOLEAN))"
    val isEqual = results.schema.fields.toSeq.map { field =>
      val name = quoteIdentifier(field.name)
      if (isComparable(field.dataType)) s"$New.$name <=> $Old.$name" else "false"
    }
    val operation =
      s"CASE WHEN $New IS NULL THEN '$Delete' WHEN $Old IS NULL THEN '$Insert' ELSE '$Update' END AS $Operation"
    val found = paired
      .where(s"${once("results", "the result")} AND ${once("stored", "the target")}")
      .where(s"$New IS NULL OR $Old IS NULL OR NOT (${isEqual.mkString(" AND ")})")
      .selectExpr(operation, New, Old)
      .persist(StorageLevel.MEMORY_AND_DISK)
    try new Difference(found, results.schema)
    catch { case e: Throwable => found.unpersist(); throw e }
  }

  /** The begin of the message where the keys do not identify rows. */
  val Repeated = "the keys do not identify one row: "

  def isComparable(kind: DataType): Boolean = RowOrdering.isOrderable(kind)
}
