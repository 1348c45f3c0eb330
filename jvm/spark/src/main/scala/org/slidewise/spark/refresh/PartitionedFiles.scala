package org.slidewise.spark.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.functions.{col, expr, length, lit, pow, raise_error, struct, when}
import org.apache.spark.sql.internal.SQLConf.ParquetOutputTimestampType.TIMESTAMP_MILLIS
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.SparkSessions

/**
 * A target of partitioned files, such as a Parquet table. A refresh writes new versions of the partitions with changed rows to a
 * folder that readers do not see. It then replaces the old partitions by the new ones.
 */
final private[refresh] class PartitionedFiles private (
    found: DataFrame,
    relation: LogicalRelation,
    files: HadoopFsRelation,
    format: String,
    swap: PartitionSwap
) extends Target {
  import Difference.{New, Old, Operation}
  import PartitionedFiles.{Micros, Millis}

  private val session = found.sparkSession
  private val columns = files.partitionSchema.fieldNames.toSeq
  private val table = relation.catalogTable.map(_.identifier.quotedString)

  private var listed: Option[DataFrame] = Some(found)
  private var folders: Option[FolderIndex] = None
  private var hasChanged = false

  override def begin(): Unit = {
    if (swap.begin()) published()
    // Another session may have written partitions that this one has listed before.
    else uncache()
    forget()
  }

  private def forget(): Unit = {
    listed = None
    folders = None
  }

  /** Refreshes Spark's caches after a change. The refresh itself no longer caches anything by then. */
  override def close(): Unit =
    try if (hasChanged) published()
    finally swap.end()

  override def rows: DataFrame = listed.getOrElse {
    val found = table.fold(atPath)(session.table)
    listed = Some(found)
    found
  }

  // The schema of files at a path cannot be inferred once no row is left.
  private def atPath: DataFrame =
    SparkSessions.of(session).baseRelationToDataFrame(files.copy(location = index)(files.sparkSession))

  private def index: FolderIndex = folders.getOrElse {
    val found = new FolderIndex(session, swap.root, columns.size, Some(files.partitionSchema))
    folders = Some(found)
    found
  }

  override def declared: StructType = files.schema

  override def partitions: Seq[String] = columns

  override def checked(results: DataFrame): DataFrame = {
    val partitioned = columns.map(Names.folded).toSet
    results.select(results.schema.fields.toSeq.map { field =>
      val column = col(quoteIdentifier(field.name))
      def orError(holds: Column, error: String) =
        when(holds, raise_error(lit(error)).cast(field.dataType)).otherwise(column).as(field.name)
      field.dataType match {
        // Spark writes rows with an empty text in a partition column to the directory of nulls.
        case _: StringType | BinaryType if partitioned(Names.folded(field.name)) =>
          val error =
            s"the partition column ${field.name} is empty in a row of the result, and would be null once it is written. " +
              s"Allowed: null, as nullif(${field.name}, '') is"
          orError(length(column) === 0, error)
        case kind if digitsOf(kind) < Micros && !partitioned(Names.folded(field.name)) =>
          val error =
            s"the column ${field.name} has a time with microseconds in a row of the result, and the files keep " +
              s"${digitsOf(kind)} digits of a second. Allowed: times without more digits, as date_trunc returns them"
          val rest = pow(lit(10), lit(Micros - digitsOf(kind)))
          orError(expr(s"extract(SECOND FROM ${quoteIdentifier(field.name)})") * 1000000 % rest =!= 0, error)
        case _ => column
      }
    }: _*)
  }

  /** The number of digits after the seconds of times of this type that the files keep. */
  private def digitsOf(kind: DataType): Int = {
    def ofText(option: String) = files.options
      .collectFirst { case (name, pattern) if name.equalsIgnoreCase(option) => pattern.count(_ == 'S') }
      .getOrElse(Millis)
    val isText = Set("csv", "json", "xml")(format)
    val conf = SparkSessions.of(session).sessionState.conf
    kind match {
      case TimestampType if isText    => ofText("timestampFormat")
      case TimestampNTZType if isText => ofText("timestampNTZFormat")
      case TimestampType if format == "parquet" && conf.parquetOutputTimestampType == TIMESTAMP_MILLIS =>
        Millis
      case _ => Micros
    }
  }

  override def merge(difference: Difference, keys: Seq[String], limits: Option[Expression]): Unit = {
    val touched = difference.touched
    val existing = index.directoriesByText
    val replaced = touched.flatMap(place => existing.getOrElse(place.map(_._2), Nil))
    val written =
      if (replaced.isEmpty) difference.written
      else keptIn(touched, difference, keys).union(difference.written)
    write(written, replaced)
  }

  /** The rows of the touched partitions that the difference does not change. */
  private def keptIn(
      touched: Seq[Seq[(Any, String)]],
      difference: Difference,
      keys: Seq[String]
  ): DataFrame = {
    val inTouched = anyOf(touched.map { place =>
      columns
        .zip(place)
        .map {
          // Java's older class lacks ten days of 1582.
          case (c, (_: java.sql.Date, text)) => col(quoteIdentifier(c)) <=> lit(text).cast(DateType)
          case (c, (value, _))               => col(quoteIdentifier(c)) <=> lit(value)
        }
        .reduce(_ && _)
    })
    val found = rows.where(inTouched)
    val stored = struct(found.columns.toSeq.map(c => found(quoteIdentifier(c))): _*)
    val same = keys.map(quoteIdentifier).map(k => s"kept.$k <=> coalesce($New, $Old).$k").mkString(" AND ")
    // A row with the keys of a changed row that is not the one that was read is neither kept nor dropped.
    val isRead = s"$Old IS NOT NULL AND ${Difference.areAsRead(files.schema, "kept", Old)}"
    val repeated =
      Difference.repeated(keys.map(k => s"kept.${quoteIdentifier(k)}"), "the target", "'several'")
    found
      .select(stored.as("kept"))
      .join(difference.rows, expr(same), "left_outer")
      .where(s"$Operation IS NULL OR NOT ($isRead) AND $repeated")
      .select("kept.*")
  }

  override def replace(results: DataFrame): Unit = write(results, swap.existing(columns.size))

  private def write(content: DataFrame, replaced: Seq[String]): Unit = {
    val names = columns.map(c => col(quoteIdentifier(c)))
    content
      .hint("rebalance", names: _*)
      .write
      .format(format)
      .options(files.options - "path")
      .partitionBy(columns: _*)
      .save(swap.staged.toString)
    hasChanged = true
    swap.commit(columns.size, replaced)
    forget()
  }

  /** Lets the catalog and this session find the new partitions. */
  private def published(): Unit = {
    forget()
    hasChanged = false
    for (name <- table if relation.catalogTable.exists(_.tracksPartitionsInCatalog))
      session.sql(s"MSCK REPAIR TABLE $name SYNC PARTITIONS")
    uncache()
    swap.published()
  }

  private def uncache(): Unit = {
    session.catalog.refreshByPath(swap.root.toString)
    table.foreach(session.catalog.refreshTable)
  }

  /** The disjunction as a balanced tree, since Spark visits expressions recursively. */
  private def anyOf(conditions: Seq[Column]): Column =
    if (conditions.size <= 1) conditions.headOption.getOrElse(lit(false))
    else {
      val (left, right) = conditions.splitAt(conditions.size / 2)
      anyOf(left) || anyOf(right)
    }
}

private[refresh] object PartitionedFiles {

  // Numbers of digits after the seconds.
  private val Millis = 3
  private val Micros = 6

  def of(
      table: DataFrame,
      name: String,
      relation: LogicalRelation,
      files: HadoopFsRelation
  ): PartitionedFiles = {
    val remedy =
      "a table of Delta Lake or Iceberg, or files in partitions (PARTITIONED BY, or partitionBy of a writer)"
    val root = files.location.rootPaths match {
      case Seq(root) => root
      case several   =>
        RefusedRefresh.refuse(s"the target $name has files in ${several.size} folders", "one folder")
    }
    if (files.partitionSchema.isEmpty)
      RefusedRefresh.refuse(s"the target $name has no partitions", remedy)
    relation.catalogTable.filter(_.tracksPartitionsInCatalog).foreach { found =>
      val catalog = files.sparkSession.sessionState.catalog
      val folder = s"${new Path(found.location)}/"
      catalog
        .listPartitions(found.identifier)
        .find(p => !new Path(p.location).toString.startsWith(folder))
        .foreach { elsewhere =>
          RefusedRefresh.refuse(
            s"the target $name has the partition ${elsewhere.spec.mkString(", ")} in a folder of its own, ${elsewhere.location}",
            "partitions in the folder of the table"
          )
        }
    }
    if (files.bucketSpec.isDefined)
      RefusedRefresh.refuse(s"the target $name has buckets, which are not written anew", remedy)
    val format = files.fileFormat match {
      case registered: DataSourceRegister => registered.shortName()
      case other                          =>
        RefusedRefresh.refuse(s"the target $name has the format ${other.getClass.getName}", remedy)
    }
    val conf = files.sparkSession.sessionState.newHadoopConf()
    val swap = new PartitionSwap(new Path(root, PartitionSwap.Folder), root, conf, name)
    new PartitionedFiles(table, relation, files, format, swap)
  }
}
