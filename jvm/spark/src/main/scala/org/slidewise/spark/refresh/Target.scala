package org.slidewise.spark.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.SparkSessions

/** The stored result that a refresh updates. `close` ends the refresh. */
private[refresh] trait Target extends AutoCloseable {

  /**
   * Begins a refresh. Raises [[ConflictingRefresh]] if another refresh is running, unless the table format itself detects conflicts.
   */
  def begin(): Unit = ()

  /** The rows that the target holds now. */
  def rows: DataFrame

  /** The columns as they were declared: texts with their lengths. */
  def declared: StructType

  /** Whether a value of a column of the query is read as an equal value once it is written. */
  final def keeps(column: Attribute): Boolean = fieldOf(column.name).exists { field =>
    CharVarcharUtils.getRawType(field.metadata) == CharVarcharUtils.getRawType(column.metadata) &&
    (DataTypeUtils.sameType(field.dataType, column.dataType) || isWider(field.dataType, column.dataType))
  }

  private def isWider(stored: DataType, kind: DataType): Boolean =
    isExact(kind) && isExact(stored) && Cast.canUpCast(kind, stored)

  private def isExact(kind: DataType): Boolean = kind match {
    case ByteType | ShortType | IntegerType | LongType | _: DecimalType => true
    case _                                                              => false
  }

  /** The value as it is written to the column: a CHAR is padded. Its evaluation fails for a text that is too long. */
  final def written(name: String, value: Expression): Expression =
    fieldOf(name)
      .flatMap(field => CharVarcharUtils.getRawType(field.metadata))
      .fold(value)(CharVarcharUtils.stringLengthCheck(value, _))

  private def fieldOf(name: String): Option[StructField] =
    declared.find(field => Names.folded(field.name) == Names.folded(name))

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

  /**
   * The target with the name of a table, or of a path as in delta.`path`.
   *
   * @param results
   *   the columns of the rows that it holds
   */
  def named(session: SparkSession, name: String, results: StructType): Target = {
    val table = FolderIndex
      .ofPath(session, name, results)
      .fold(session.table(name))(SparkSessions.of(session).baseRelationToDataFrame(_))
    SparkSessions.queryOf(table).analyzed.collectLeaves() match {
      case Seq(leaf) =>
        TableFormat
          .of(leaf)
          .fold(ofFiles(table, name, leaf))(new MergeTarget(session, name, _, declared(leaf)))
      case _ => refuse(name)
    }
  }

  private def declared(leaf: LogicalPlan): StructType = leaf match {
    case relation: LogicalRelation      => relation.relation.schema
    case relation: DataSourceV2Relation =>
      val columns = relation.table.columns.toSeq.map { column =>
        val metadata = Option(column.metadataInJSON).fold(Metadata.empty)(Metadata.fromJson)
        StructField(column.name, column.dataType, column.nullable, metadata)
      }
      CharVarcharUtils.replaceCharVarcharWithStringInSchema(StructType(columns))
    case other => other.schema
  }

  private def ofFiles(table: DataFrame, name: String, leaf: LogicalPlan): Target = leaf match {
    case relation: LogicalRelation =>
      relation.relation match {
        case files: HadoopFsRelation => PartitionedFiles.of(table, name, relation, files)
        case _                       => refuse(name)
      }
    case _ => refuse(name)
  }

  private def refuse(name: String): Nothing = RefusedRefresh.refuse(
    s"the target $name is no table that takes MERGE, and no table of files in partitions",
    "a table of Delta Lake or Iceberg, or a Parquet table with partitions"
  )
}
