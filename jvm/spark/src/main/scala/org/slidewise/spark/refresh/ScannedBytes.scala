package org.slidewise.spark.refresh

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.connector.read.SupportsReportStatistics
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.BucketingUtils
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec

import org.slidewise.spark.shims.SparkSessions

/** The bytes of files that a query scans, from partitions and statistics of files. Reads no file. */
private[refresh] object ScannedBytes {

  /** The bytes that `query` scans. None if a leaf of its plan does not report them. */
  def of(query: DataFrame): Option[BigInt] = {
    val leaves = SparkSessions.queryOf(query).sparkPlan.collectLeaves().map(bytesOf)
    if (leaves.nonEmpty && leaves.forall(_.isDefined)) Some(leaves.flatten.sum) else None
  }

  private def bytesOf(leaf: SparkPlan): Option[BigInt] = leaf match {
    case files: FileSourceScanExec =>
      val found = files.relation.location.listFiles(files.partitionFilters, files.dataFilters)
      val read = found.iterator.flatMap(_.files).filter { file =>
        files.optionalBucketSet
          .forall(set => BucketingUtils.getBucketId(file.getPath.getName).forall(set.get))
      }
      Some(read.map(file => BigInt(file.getLen)).sum)
    case batch: BatchScanExec =>
      batch.scan match {
        case scan: SupportsReportStatistics =>
          val bytes = scan.estimateStatistics.sizeInBytes
          if (bytes.isPresent) Some(BigInt(bytes.getAsLong)) else None
        case _ => None
      }
    case _ => None
  }
}
