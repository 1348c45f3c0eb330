package org.slidewise.spark.refresh

import java.util.Locale

import scala.collection.mutable
import scala.util.Try

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types.{DataType, DecimalType, NumericType, StringType, StructType}

import org.slidewise.spark.shims.SparkSessions

/**
 * The index of a partitioned table that lists the files of only the partitions that a query reads. Spark's own index of the files at
 * a path first lists all files.
 *
 * @param depth
 *   the number of partition columns
 * @param partitionColumns
 *   the partition columns, if their types are known; otherwise, Spark infers them from the names of all directories
 */
final private[refresh] class FolderIndex(
    session: SparkSession,
    root: Path,
    depth: Int,
    partitionColumns: Option[StructType]
) extends PartitioningAwareFileIndex(
      SparkSessions.of(session),
      FolderIndex.options(root),
      partitionColumns,
      NoopCache
    ) {
  private lazy val names: Seq[String] =
    new PartitionFolders(root, root.getFileSystem(session.sessionState.newHadoopConf())).at(depth)
  private lazy val directories: Map[Path, String] = names.map(name => new Path(root, name) -> name).toMap
  private lazy val spec: PartitionSpec =
    if (directories.isEmpty) PartitionSpec(partitionColumns.getOrElse(new StructType), Nil)
    else inferPartitioning()

  override def rootPaths: Seq[Path] = Seq(root)
  override def refresh(): Unit = ()
  override def partitionSpec(): PartitionSpec = spec
  override def sizeInBytes: Long = session.sessionState.conf.defaultSizeInBytes
  override def inputFiles: Array[String] =
    listFiles(Nil, Nil).flatMap(_.files).map(_.getPath.toString).toArray

  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = {
    val selected = partitionFilters.reduceOption[Expression](And(_, _)).fold(spec.partitions) { filter =>
      val condition = Predicate.createInterpreted(filter.transform { case a: AttributeReference =>
        BoundReference(spec.partitionColumns.fieldIndex(a.name), a.dataType, nullable = true)
      })
      spec.partitions.filter(partition => condition.eval(partition.values))
    }
    if (selected.isEmpty) Nil
    else filesIn(selected.map(_.path)).listFiles(partitionFilters, dataFilters)
  }

  /**
   * The directories, relative to the table, by their partition values as text. Several have the same values if, for example, one has
   * leading zeros.
   */
  def directoriesByText: Map[Seq[String], Seq[String]] = {
    val zone = Some(session.sessionState.conf.sessionLocalTimeZone)
    def textOf(partition: PartitionPath): Seq[String] =
      partition.values.toSeq(spec.partitionColumns).zip(spec.partitionColumns.fields).map {
        case (value, field) =>
          Option(Cast(Literal(value, field.dataType), StringType, zone).eval()).map(_.toString).orNull
      }
    spec.partitions.groupBy(textOf).map { case (text, found) => text -> found.map(p => directories(p.path)) }
  }

  private def filesIn(selected: Seq[Path]) = new InMemoryFileIndex(
    SparkSessions.of(session),
    selected,
    FolderIndex.options(root),
    Some(spec.partitionColumns)
  )

  // Spark infers the partitions from directories that hold files. One placeholder replaces the files of a directory, which are not
  // listed.
  override protected def leafDirToChildrenFiles: Map[Path, Array[FileStatus]] =
    directories.map { case (d, _) => d -> Array(new FileStatus(1L, false, 1, 1L, 0L, new Path(d, "part-0"))) }
  override protected def leafFiles: mutable.LinkedHashMap[Path, FileStatus] = mutable.LinkedHashMap.empty
}

private[refresh] object FolderIndex {

  private def options(root: Path): Map[String, String] =
    Map(FileIndexOptions.BASE_PATH_PARAM -> root.toString)

  /**
   * The table of Parquet or ORC files with a name such as parquet.`path`; None for other names, and without partitions.
   *
   * @param results
   *   the columns of its rows. Partition columns have these types, if they hold the values in the names of directories
   */
  def ofPath(session: SparkSession, name: String, results: StructType): Option[HadoopFsRelation] = {
    val spark = SparkSessions.of(session)
    Names.parts(name) match {
      case Seq(format, path)
          if Formats(format.toLowerCase(Locale.ROOT)) && spark.sessionState.conf.runSQLonFile &&
            !spark.catalog.tableExists(name) =>
        relationOf(session, format, new Path(path), results)
      case _ => None
    }
  }

  private def relationOf(
      session: SparkSession,
      format: String,
      path: Path,
      results: StructType
  ): Option[HadoopFsRelation] = {
    val files = path.getFileSystem(session.sessionState.newHadoopConf())
    val root = files.makeQualified(path)
    val depth = new PartitionFolders(root, files).depth
    val inferred = new FolderIndex(session, root, depth, None)
    for {
      newest <- inferred.names.lastOption if depth > 0
      sample = session.read.format(format).options(options(root)).load(new Path(root, newest).toString)
      relation <- SparkSessions
        .queryOf(sample)
        .analyzed
        .collect { case leaf: LogicalRelation => leaf.relation }
        .collectFirst { case found: HadoopFsRelation => found }
    } yield {
      val index = withTypesOf(results, inferred.partitionSchema)
        .map(types => new FolderIndex(session, root, depth, Some(types)))
        .filter(typed => Try(typed.partitionSpec()).isSuccess)
        .getOrElse(inferred)
      relation.copy(location = index, partitionSchema = index.partitionSchema)(relation.sparkSession)
    }
  }

  /**
   * The partition columns with the types of the results where these are wider: the names of directories with 1, 2, … look like
   * integers, and the next one may be too large for them. None if there are none such.
   */
  private def withTypesOf(results: StructType, inferred: StructType): Option[StructType] = {
    val typed = inferred.map { column =>
      results
        .find(field => Names.folded(field.name) == Names.folded(column.name))
        .map(_.dataType)
        .filter(kind => Cast.canUpCast(column.dataType, kind) || areNumbers(column.dataType, kind))
        .fold(column)(kind => column.copy(dataType = kind))
    }
    Some(StructType(typed)).filter(_ != inferred)
  }

  // Spark infers decimals as integers or doubles.
  private def areNumbers(inferred: DataType, ofResult: DataType): Boolean =
    inferred.isInstanceOf[NumericType] && ofResult.isInstanceOf[DecimalType]

  // Other formats infer their schema from all rows.
  private val Formats = Set("parquet", "orc")
}
