package org.slidewise.spark.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources._
import org.apache.spark.sql.types.StructType

/** A sample of the files of a table: one in `step`, the same files for all filters. Estimates of shares read the sample. */
final private[refresh] class SomeFiles private (all: FileIndex, step: Int) extends FileIndex {
  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] =
    all
      .listFiles(partitionFilters, dataFilters)
      .map(found => found.copy(files = found.files.filter(file => isChosen(file.getPath))))
      .filter(_.files.nonEmpty)

  private def isChosen(file: Path): Boolean = Math.floorMod(file.getName.hashCode, step) == 0

  override def rootPaths: Seq[Path] = all.rootPaths
  override def inputFiles: Array[String] =
    listFiles(Nil, Nil).flatMap(_.files).map(_.getPath.toString).toArray
  override def refresh(): Unit = all.refresh()
  override def sizeInBytes: Long = all.sizeInBytes / step
  override def partitionSchema: StructType = all.partitionSchema
}

private[refresh] object SomeFiles {

  /**
   * A function that makes plans over the same table read the sample instead of all files.
   *
   * @return
   *   None if the plan does not read exactly one table of plain files. Also none if there are too few files for an estimate, or
   *   their sizes differ too much
   */
  def of(plan: LogicalPlan): Option[LogicalPlan => LogicalPlan] = {
    val tables = plan.collectLeaves().collect { case leaf: LogicalRelation => leaf.relation }.collect {
      case files: HadoopFsRelation => files.location
    }
    for {
      index <- if (tables.size == 1) tables.headOption.filter(isPlain) else None
      sizes = index.listFiles(Nil, Nil).flatMap(_.files).map(_.getLen) if sizes.size >= 2 * Wanted
      if sizes.max <= 4 * (sizes.sum / sizes.size)
    } yield {
      val some = new SomeFiles(index, sizes.size / Wanted)
      (_: LogicalPlan).transformUp { case leaf: LogicalRelation =>
        leaf.relation match {
          case files: HadoopFsRelation if files.location eq index =>
            leaf.copy(relation = files.copy(location = some)(files.sparkSession))
          case _ => leaf
        }
      }
    }
  }

  private def isPlain(index: FileIndex): Boolean = index match {
    case _: InMemoryFileIndex | _: CatalogFileIndex | _: FolderIndex => true
    case _                                                           => false
  }

  /** The approximate number of files in the sample. */
  private val Wanted = 20
}
