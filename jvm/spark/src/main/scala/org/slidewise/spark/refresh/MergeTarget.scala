package org.slidewise.spark.refresh

import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, Literal, PrettyAttribute}
import org.apache.spark.sql.catalyst.util.{quoteIdentifier, DateTimeUtils}
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.types.{StructType, TimestampType}

/** A table that supports MERGE, such as those of Delta Lake and Iceberg. */
final private[refresh] class MergeTarget(
    session: SparkSession,
    name: String,
    format: TableFormat,
    override val declared: StructType
) extends Target {
  import Difference._

  // The version at the begin; a failure if it is unknown, as for a branch.
  private var begun = Try(Option.empty[Long])

  override def begin(): Unit = begun = newest

  private def newest: Try[Option[Long]] = Try(format.newest(session, name))

  override def rows: DataFrame = session.table(name)

  /**
   * Raises an error if a row to replace differs from the row that was read, because another writer has changed it in the meantime.
   */
  override def merge(difference: Difference, keys: Seq[String], limits: Option[Expression]): Unit = {
    val view = s"slidewise_refresh_${java.util.UUID.randomUUID.toString.replace('-', '_')}"
    difference.rows.createOrReplaceTempView(view)
    val remedy =
      s"refresh again. If this happens again, ${keys.mkString(", ")} may not identify one row of $name"
    try conflicts(remedy)(session.sql(statement(view, keys, limits)))
    finally session.catalog.dropTempView(view)
  }

  /** Raises an error if another writer has committed since the refresh began. */
  override def replace(results: DataFrame): Unit = {
    val options = begun.toOption.fold(Map.empty[String, String]) { version =>
      // Delta Lake notices only what is committed after the write has begun.
      if (newest.toOption.exists(_ != version)) throw conflict("refresh again", null)
      format.optionsOfReplace(version)
    }
    conflicts("refresh again")(results.writeTo(name).options(options).overwrite(lit(true)))
  }

  private def statement(view: String, keys: Seq[String], limits: Option[Expression]): String = {
    val schema = rows.schema
    val columns = schema.fields.toSeq.map(f => quoteIdentifier(f.name) -> f.dataType)
    val same = keys.map(quoteIdentifier).map(k => s"t.$k <=> coalesce(s.$New, s.$Old).$k")
    val unchanged = areAsRead(schema, "t", s"s.$Old")
    // The error is in the values and not in the conditions, because Delta Lake evaluates the conditions of all clauses for all rows.
    // Not any column: the names of user-defined types are no SQL.
    val checked = columns.indexWhere(c => Names.folded(c._1) == Names.folded(quoteIdentifier(keys.head)))
    def values(condition: String): Seq[String] = columns.zipWithIndex.map {
      case ((column, kind), `checked`) =>
        s"CASE WHEN $condition THEN s.$New.$column ELSE CAST(raise_error('${ConflictingRefresh.Marker}') AS ${kind.sql}) END"
      case ((column, _), _) => s"s.$New.$column"
    }
    val updates = columns.map(_._1).zip(values(s"s.$Operation = '$Update' AND $unchanged"))
    s"""MERGE INTO $name t USING $view s ON ${(same ++ limits.map(ofTarget)).mkString(" AND ")}
       |WHEN MATCHED AND s.$Operation = '$Delete' AND $unchanged THEN DELETE
       |WHEN MATCHED THEN UPDATE SET ${updates
        .map { case (column, value) => s"t.$column = $value" }
        .mkString(", ")}
       |WHEN NOT MATCHED THEN INSERT (${columns.map(_._1).mkString(", ")})
       |  VALUES (${values(s"s.$Operation = '$Insert'").mkString(", ")})""".stripMargin
  }

  /** The condition on the table `t` as SQL. Its constants prune files of the target. */
  private def ofTarget(condition: Expression): String = condition.transform {
    case a: AttributeReference => a.withQualifier(Seq("t"))
    // Without the time zone, times in an hour that clocks repeat would be ambiguous.
    case Literal(micros: Long, TimestampType) =>
      PrettyAttribute(s"TIMESTAMP_LTZ '${DateTimeUtils.microsToInstant(micros)}'", TimestampType)
  }.sql

  private def conflicts(remedy: String)(write: => Any): Unit =
    try { write; () }
    catch {
      case NonFatal(e) if ConflictingRefresh.isCause(e) => throw conflict(remedy, e)
    }

  private def conflict(remedy: String, cause: Throwable) =
    new ConflictingRefresh(s"Another writer changed $name during the refresh", remedy, cause)
}
