package org.slidewise.spark.refresh

import scala.util.control.NonFatal

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.lit

/** A table that takes MERGE, such as those of Delta Lake and Iceberg. */
final private[refresh] class MergeTarget(session: SparkSession, name: String) extends Target {
  import Difference._

  override def rows: DataFrame = session.table(name)

  /**
   * Each row must be as it was read: a row that someone else has written meanwhile ends the statement.
   */
  override def merge(difference: Difference, keys: Seq[String], range: Option[KeyRange]): Unit = {
    val view = s"slidewise_refresh_${java.util.UUID.randomUUID.toString.replace('-', '_')}"
    difference.rows.createOrReplaceTempView(view)
    try conflicts(session.sql(statement(view, keys, range)))
    finally session.catalog.dropTempView(view)
  }

  override def replace(results: DataFrame): Unit = conflicts(results.writeTo(name).overwrite(lit(true)))

  private def statement(view: String, keys: Seq[String], range: Option[KeyRange]): String = {
    val schema = rows.schema
    val columns = schema.fieldNames.toSeq.map(Names.quoted)
    val same = keys.map(Names.quoted).map(k => s"t.$k <=> coalesce(s.$New, s.$Old).$k")
    val isAsRead = schema.fields.toSeq.filter(f => isComparable(f.dataType)).map { field =>
      val column = Names.quoted(field.name)
      s"t.$column <=> s.$Old.$column"
    }
    val unchanged = (s"s.$Operation != '$Insert'" +: isAsRead).mkString(" AND ")
    s"""MERGE INTO $name t USING $view s ON ${(same ++ range.toSeq.flatMap(within)).mkString(" AND ")}
       |WHEN MATCHED AND s.$Operation = '$Delete' AND ${checked(unchanged)} THEN DELETE
       |WHEN MATCHED AND ${checked(unchanged)} THEN UPDATE SET ${columns.map(c => s"t.$c = s.$New.$c").mkString(", ")}
       |WHEN NOT MATCHED AND ${checked(s"s.$Operation = '$Insert'")} THEN
       |  INSERT (${columns.mkString(", ")}) VALUES (${columns.map(c => s"s.$New.$c").mkString(", ")})""".stripMargin
  }

  private def checked(condition: String): String =
    s"CASE WHEN $condition THEN true ELSE CAST(raise_error('${ConflictingRefresh.Marker}') AS BOOLEAN) END"

  /** Constants, by which files of the target are left out. */
  private def within(range: KeyRange): Seq[String] =
    Seq(">=" -> range.first, "<=" -> range.last).collect { case (operator, Some(value)) =>
      s"t.${range.column} $operator ${KeyRange.sql(value)}"
    }

  private def conflicts(write: => Any): Unit =
    try { write; () }
    catch {
      case NonFatal(e) if ConflictingRefresh.isCause(e) =>
        throw new ConflictingRefresh(s"Another writer changed $name during the refresh", "refresh again", e)
    }
}
