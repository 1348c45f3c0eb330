package org.slidewise.spark.execution.parallel

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.datasources.{FileScanRDD, PartitionedFile}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import org.slidewise.spark.execution.exchange.BatchesIn
import org.slidewise.spark.execution.task.WindowMetrics

/**
 * Reads rows twice where this costs less than a shuffle. The first read returns only the columns that a window aggregates. The
 * second read returns all rows, to which the window adds its results.
 *
 * @param left
 *   the rows with only the columns that are aggregated
 * @param right
 *   the rows
 */
case class RowsReadTwiceExec(left: SparkPlan, right: SparkPlan) extends BinaryExecNode with BatchesIn {
  import RowsReadTwiceExec.{filesOf, Partitions}

  override def nodeName: String = "RowsReadTwice"
  @transient override lazy val output: Seq[Attribute] = right.output
  @transient override lazy val outputPartitioning: Partitioning = right.outputPartitioning
  @transient override lazy val outputOrdering: Seq[SortOrder] = right.outputOrdering

  override lazy val metrics: Map[String, SQLMetric] =
    Map(
      Partitions -> SQLMetrics.createMetric(
        sparkContext,
        "number of partition keys found, 0 if rows are read once"
      )
    )

  /** Sets the number of partitions that the first read has found, on the driver. */
  private[parallel] def countPartitions(partitions: Int): Unit =
    WindowMetrics.setOnDriver(sparkContext, metrics(Partitions), partitions.toLong)

  /**
   * Lists the files of both reads, and returns whether they are the same: Spark lists them for each read, and another query may add
   * files in the meantime. The reads keep these lists.
   */
  private[parallel] def listsFilesOnce: Boolean = filesOf(left) == filesOf(right)

  override protected def doExecute(): RDD[InternalRow] = right.execute()

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): RowsReadTwiceExec =
    copy(newLeft, newRight)
}

object RowsReadTwiceExec {
  private val Partitions = "partitions"

  /** The files that a plan reads, each with its size and time of modification. */
  private def filesOf(plan: SparkPlan): Set[Product] = plan
    .collectLeaves()
    .flatMap {
      case _: InMemoryTableScanExec              => Nil
      case columnar if columnar.supportsColumnar => filesOf(columnar.executeColumnar())
      case rows                                  => filesOf(rows.execute())
    }
    .map(file => (file.filePath, file.fileSize, file.modificationTime))
    .toSet

  private def filesOf(rows: RDD[_]): Seq[PartitionedFile] = rows match {
    case files: FileScanRDD => files.filePartitions.flatMap(_.files)
    case other              => other.dependencies.flatMap(dependency => filesOf(dependency.rdd))
  }
}
