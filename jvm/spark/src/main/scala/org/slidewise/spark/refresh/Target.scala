package org.slidewise.spark.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}

import org.slidewise.spark.shims.SparkSessions

/** The stored result that a refresh updates. `close` ends the refresh. */
private[refresh] trait Target extends AutoCloseable {

  /**
   * Begins a refresh. Raises [[ConflictingRefresh]] if another refresh is running, unless the table format itself detects conflicts.
   */
  def begin(): Unit = ()

  /** The rows that the target holds now. */
  def rows: DataFrame

  /** The partition columns, if a refresh rewrites whole partitions; empty otherwise. */
  def partitions: Seq[String] = Nil

  /** The rows of `results`. Raises an error at a row that would be read with other values once it is written. */
  def checked(results: DataFrame): DataFrame = results

  /**
   * Writes the difference in one transaction.
   *
   * @param keys
   *   the columns that identify a row
   * @param limits
   *   a condition with constants, over the columns of [[rows]], that all rows to replace meet
   */
  def merge(difference: Difference, keys: Seq[String], limits: Option[Expression]): Unit

  /** Replaces all rows in one transaction. */
  def replace(results: DataFrame): Unit

  override def close(): Unit = ()
}

private[refresh] object Target {

  /** The target with the name of a table, or of a path as in delta.`path`. */
  def named(session: SparkSession, name: String): Target = {
    val table = FolderIndex
      .ofPath(session, name)
      .fold(session.table(name))(SparkSessions.of(session).baseRelationToDataFrame(_))
    SparkSessions.queryOf(table).analyzed.collectLeaves() match {
      case Seq(leaf) if TableFormat.of(leaf).isDefined => new MergeTarget(session, name)
      case Seq(relation: LogicalRelation)              =>
        relation.relation match {
          case files: HadoopFsRelation => PartitionedFiles.of(table, name, relation, files)
          case _                       => refuse(name)
        }
      case _ => refuse(name)
    }
  }

  private def refuse(name: String): Nothing = RefusedRefresh.refuse(
    s"the target $name is no table that takes MERGE, and no table of files in partitions",
    "a table of Delta Lake or Iceberg, or a Parquet table with partitions"
  )
}
