package org.slidewise.spark.refresh

import org.apache.spark.sql.{functions, DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.storage.StorageLevel

import org.slidewise.spark.shims.SparkCollations

/**
 * The differences between the stored rows of a target and the results that replace them. Each has one row, with its operation, the
 * values to write and the values that were read.
 *
 * Memory: these rows, in Spark's storage memory, on disk where that is full; and in the driver, their partitions. `close` releases
 * the storage memory.
 *
 * @param partitions
 *   the target's partition columns
 */
final private[refresh] class Difference private (
    val rows: DataFrame,
    columns: StructType,
    partitions: Seq[String]
) extends AutoCloseable {
  import Difference._

  // The operation, the partitions of the new and the old values, and the number of rows. Each partition column occurs twice: as a
  // value and as text.
  private val groups: Seq[Row] = {
    val places = for {
      row <- Seq(New, Old)
      column <- partitions.map(c => s"$row.${quoteIdentifier(c)}")
      kind <- Seq(s"$column", s"CAST($column AS STRING)")
    } yield kind
    val named = places.zipWithIndex.map { case (place, at) => s"$place AS place_$at" }
    val placed = rows.selectExpr(Operation +: named: _*)
    placed.groupBy(placed.columns.toSeq.map(placed.apply): _*).count().collect().toSeq
  }

  private def count(operation: String): Long =
    groups.filter(_.getString(0) == operation).map(row => row.getLong(row.length - 1)).sum

  val inserted: Long = count(Insert)
  val updated: Long = count(Update)
  val deleted: Long = count(Delete)
  def isEmpty: Boolean = groups.isEmpty

  /** The partitions with rows to write or to remove: their values, each with its text as in the names of directories. */
  def touched: Seq[Seq[(Any, String)]] = groups.flatMap { row =>
    def place(from: Int) =
      partitions.indices.map(at => row.get(from + 2 * at) -> row.getString(from + 2 * at + 1))
    val (ofNew, ofOld) = (place(1), place(1 + 2 * partitions.size))
    row.getString(0) match {
      case Insert => Seq(ofNew)
      case Delete => Seq(ofOld)
      case _      => Seq(ofNew, ofOld)
    }
  }.distinct

  /** The rows to write, with the columns of the target. */
  def written: DataFrame =
    rows
      .where(s"$Operation != '$Delete'")
      .selectExpr(columns.fieldNames.toSeq.map(name => s"$New.${quoteIdentifier(name)}"): _*)

  override def close(): Unit = rows.unpersist()
}

private[refresh] object Difference {
  val Operation = "operation"
  val New = "_slidewise_new"
  val Old = "_slidewise_old"
  private val Results = "_slidewise_results"
  private val Stored = "_slidewise_stored"
  val Insert = "insert"
  val Update = "update"
  val Delete = "delete"

  /**
   * @param results
   *   the rows that should be in the target, with its columns
   * @param stored
   *   the rows of the target that the results replace
   * @param keys
   *   the columns that identify a row; nulls are equal
   */
  def of(
      results: DataFrame,
      stored: DataFrame,
      keys: Seq[String],
      partitions: Seq[String]
  ): Difference = {
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
          s"count($New) AS $Results",
          s"count($Old) AS $Stored"
        ).map(functions.expr): _*
      )
    val shown = s"to_json(struct(${identity.mkString(", ")}))"
    def once(count: String, what: String) =
      s"IF($count <= 1, true, CAST(raise_error(concat('$Repeated', $shown, ': $what has ', $count, ' rows with them')) AS BOOLEAN))"
    val isEqual = results.schema.fields.toSeq.map { field =>
      val name = quoteIdentifier(field.name)
      areEqual(s"$New.$name", s"$Old.$name", field.dataType).getOrElse("false")
    }
    val operation =
      s"CASE WHEN $New IS NULL THEN '$Delete' WHEN $Old IS NULL THEN '$Insert' ELSE '$Update' END AS $Operation"
    val found = paired
      .where(s"${once(Results, "the result")} AND ${once(Stored, "the target")}")
      .where(s"$New IS NULL OR $Old IS NULL OR NOT (${isEqual.mkString(" AND ")})")
      .selectExpr(operation, New, Old)
      .persist(StorageLevel.MEMORY_AND_DISK)
    try new Difference(found, results.schema, partitions)
    catch { case e: Throwable => found.unpersist(); throw e }
  }

  /** The start of the error message if the keys do not identify rows. */
  val Repeated = "the keys do not identify one row: "

  /** The condition in SQL that two values are the same; none if they cannot be compared. */
  def areEqual(a: String, b: String, kind: DataType): Option[String] = kind match {
    // A collation may count different texts as equal.
    case text: StringType if !SparkCollations.isBinaryStable(text) =>
      Some(s"CAST($a AS BINARY) <=> CAST($b AS BINARY)")
    case other => if (isComparable(other)) Some(s"$a <=> $b") else None
  }

  def isComparable(kind: DataType): Boolean = RowOrdering.isOrderable(kind)
}
