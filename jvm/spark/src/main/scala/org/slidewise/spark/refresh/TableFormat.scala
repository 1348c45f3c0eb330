package org.slidewise.spark.refresh

import org.apache.spark.sql.{functions, DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import org.slidewise.spark.shims.SparkSessions

/** A table format that supports MERGE. Slidewise recognizes formats by the names of their classes, and does not depend on them. */
sealed private[refresh] trait TableFormat {

  /** The rows that changed after a version, with the columns of the table. */
  def changesSince(session: SparkSession, table: String, version: Long): DataFrame

  /** The newest version of a table; None if it has none, or its format tells none. */
  def newest(session: SparkSession, table: String): Option[Long]

  /** Options of a write that replaces all rows, with which it fails if another writer commits after a version. */
  def optionsOfReplace(version: Option[Long]): Map[String, String] = Map.empty
}

private[refresh] object TableFormat {

  /** The format of the table; None if the table does not support MERGE. */
  def of(session: SparkSession, table: String): Option[TableFormat] =
    SparkSessions.queryOf(session.table(table)).analyzed.collectLeaves() match {
      case Seq(leaf) => of(leaf)
      case _         => None
    }

  /** The format of the only table of a plan. */
  def of(leaf: LogicalPlan): Option[TableFormat] = {
    val implementation: AnyRef = leaf match {
      case relation: DataSourceV2Relation => relation.table
      case relation: LogicalRelation      =>
        relation.relation match {
          case files: HadoopFsRelation => files.fileFormat
          case other                   => other
        }
      case other => other
    }
    val name = implementation.getClass.getName
    if (name.startsWith("org.apache.spark.sql.delta.") || name.startsWith("io.delta.")) Some(Delta)
    else if (name.startsWith("org.apache.iceberg.")) Some(Iceberg)
    else if (implementation.isInstanceOf[SupportsRowLevelOperations]) Some(Other)
    else None
  }

  private object Delta extends TableFormat {
    override def changesSince(session: SparkSession, table: String, version: Long): DataFrame = {
      val last = newestOf(session, table)
      check(table, version, last)
      if (version == last) session.table(table).limit(0)
      else {
        val enabled = session
          .sql(s"SHOW TBLPROPERTIES $table")
          .where("key = 'delta.enableChangeDataFeed' AND value = 'true'")
        if (enabled.isEmpty)
          RefusedRefresh.refuse(
            s"the Delta table $table keeps no change data",
            s"ALTER TABLE $table SET TBLPROPERTIES (delta.enableChangeDataFeed = true), before the change; or a DataFrame of the " +
              "changed rows"
          )
        val read = session.read
          .format("delta")
          .option("readChangeFeed", "true")
          .option("startingVersion", version + 1)
          .option("endingVersion", last)
        read.table(table).drop("_change_type", "_commit_version", "_commit_timestamp")
      }
    }

    override def newest(session: SparkSession, table: String): Option[Long] = Some(newestOf(session, table))

    private def newestOf(session: SparkSession, table: String): Long =
      session.sql(s"DESCRIBE HISTORY $table LIMIT 1").head().getAs[Long]("version")

    private def check(table: String, version: Long, last: Long): Unit =
      if (version < 0 || version > last)
        RefusedRefresh.refuse(s"$table has no version $version", s"a version from 0 to $last")
  }

  private object Iceberg extends TableFormat {
    override def changesSince(session: SparkSession, table: String, version: Long): DataFrame = {
      val name = full(session, table)
      val known = session
        .sql(s"SELECT snapshot_id FROM $name.snapshots ORDER BY committed_at")
        .collect()
        .map(_.getLong(0))
      if (!known.contains(version))
        RefusedRefresh.refuse(
          s"$table has no snapshot $version",
          s"one of its snapshots: ${known.takeRight(20).mkString(", ")}"
        )
      if (newestOf(session, name).contains(version)) session.table(table).limit(0)
      else
        net(session.read.option("start-snapshot-id", version).table(s"$name.changes")).drop(Own.toSeq: _*)
    }

    override def newest(session: SparkSession, table: String): Option[Long] =
      newestOf(session, full(session, table))

    private def newestOf(session: SparkSession, name: String): Option[Long] = {
      val branch = session.conf.getOption("spark.wap.branch").getOrElse("main")
      session
        .sql(
          s"SELECT snapshot_id FROM $name.refs WHERE name IN ('$branch', 'main') ORDER BY name = 'main'"
        )
        .collect()
        .headOption
        .map(_.getLong(0))
    }

    /** The name with its catalog and schema: Spark adds these to names of one part only, and not to those of metadata tables. */
    private def full(session: SparkSession, table: String): String =
      SparkSessions.queryOf(session.table(table)).analyzed.collectLeaves() match {
        case Seq(relation: DataSourceV2Relation) =>
          val parts = for {
            catalog <- relation.catalog.toSeq
            identifier <- relation.identifier.toSeq
            part <- catalog.name +: identifier.namespace.toSeq :+ identifier.name
          } yield quoteIdentifier(part)
          if (parts.isEmpty) table else parts.mkString(".")
        case _ => table
      }

    override def optionsOfReplace(version: Option[Long]): Map[String, String] =
      Map("isolation-level" -> "serializable") ++ version.map("validate-from-snapshot-id" -> _.toString)

    /** The changes, without rows that were removed and added with the same values because their files were rewritten. */
    private def net(changes: DataFrame): DataFrame = {
      val columns = changes.schema.fields.toSeq.filterNot(f => Own(f.name))
      if (!columns.forall(f => Difference.isComparable(f.dataType))) changes
      else
        changes
          .groupBy(columns.map(f => changes(quoteIdentifier(f.name))): _*)
          .agg(
            functions.expr(
              s"sum(IF(_change_type LIKE '%DELETE' OR _change_type LIKE '%BEFORE', -1, 1)) AS $NetRows"
            )
          )
          .where(s"$NetRows != 0")
          .drop(NetRows)
    }

    private val NetRows = "_slidewise_net_rows"
    private val Own = Set("_change_type", "_change_ordinal", "_commit_snapshot_id")
  }

  private object Other extends TableFormat {
    override def changesSince(session: SparkSession, table: String, version: Long): DataFrame =
      RefusedRefresh.refuse(
        s"the format of $table does not tell its changes",
        "a table of Delta Lake or Iceberg, or a DataFrame of the changed rows"
      )

    override def newest(session: SparkSession, table: String): Option[Long] = None
  }
}
