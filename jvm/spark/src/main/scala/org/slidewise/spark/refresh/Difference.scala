package org.slidewise.spark.refresh

import org.apache.spark.sql.{functions, Column, DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.types._
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
    // Not by the name of the type, which user-defined types do not have.
    val none = functions.lit(null).cast(results.schema)
    def side(rows: DataFrame, ofNew: Column, ofOld: Column) =
      rows.select(identity.map(functions.expr) ++ Seq(ofNew.as(New), ofOld.as(Old)): _*)
    val sides = side(results, functions.expr(row), none).union(side(stored, none, functions.expr(row)))
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
    def once(count: String, what: String) =
      s"IF($count <= 1, true, ${repeated(identity, what, count)})"
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

  /**
   * A boolean in SQL whose evaluation raises the error that the keys do not identify a row.
   *
   * @param keys
   *   the key columns in SQL
   * @param what
   *   what has the rows
   * @param count
   *   the number of rows with the keys, in SQL
   */
  private[refresh] def repeated(keys: Seq[String], what: String, count: String): String = {
    val shown = s"to_json(struct(${keys.mkString(", ")}))"
    s"CAST(raise_error(concat('$Repeated', $shown, ': $what has ', $count, ' rows with them')) AS BOOLEAN)"
  }

  /** The start of the error message if the keys do not identify rows. */
  private val Repeated = "the keys do not identify one row: "

  /** The condition in SQL that a row of a target is one that was read, as far as values can be compared. */
  def areAsRead(columns: StructType, row: String, read: String): String = {
    val conditions = columns.fields.toSeq.flatMap { field =>
      val name = quoteIdentifier(field.name)
      areEqual(s"$row.$name", s"$read.$name", field.dataType)
    }
    if (conditions.isEmpty) "true" else conditions.mkString(" AND ")
  }

  /** The condition in SQL that two values are the same; none if they cannot be compared. */
  private def areEqual(a: String, b: String, kind: DataType): Option[String] =
    if (!isComparable(kind)) None
    else {
      // A collation may count different texts as equal.
      val text = binary(kind)
      Some(if (text == kind) s"$a <=> $b" else s"CAST($a AS ${text.sql}) <=> CAST($b AS ${text.sql})")
    }

  /** The type whose texts are compared by their bytes. */
  private def binary(kind: DataType): DataType = kind match {
    case text: StringType if !SparkCollations.isBinaryStable(text) => StringType
    case ArrayType(element, containsNull)                          => ArrayType(binary(element), containsNull)
    case StructType(fields) => StructType(fields.map(field => field.copy(dataType = binary(field.dataType))))
    case other              => other
  }

  def isComparable(kind: DataType): Boolean = RowOrdering.isOrderable(kind)
}
