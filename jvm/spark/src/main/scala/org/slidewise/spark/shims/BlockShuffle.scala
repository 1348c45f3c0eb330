package org.slidewise.spark.shims

import org.apache.spark.{Partitioner, ShuffleDependency}
import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf

/** A shuffle of blocks of rows, each with the number of its partition. */
final case class BlockShuffle(
    blocks: RDD[Product2[Int, InternalRow]],
    partitioner: Partitioner,
    serializer: Serializer,
    writeMetrics: Map[String, SQLMetric],
    sums: BlockSums
)

/** Reads the sum of the hashes of a block's rows. It depends neither on the order of the rows nor on the blocks. */
trait BlockSums extends Serializable {
  def sumOf(block: UnsafeRow): Long
}

/** Makes Spark's representation of a shuffle of blocks. */
trait BlockDependencies {

  /** Whether Spark makes checksums of the rows, which needs the sums of the blocks. */
  def hasChecksums(conf: SQLConf): Boolean

  /** The dependency, with Spark's checksums of the rows if this Spark has them and the settings ask for them. */
  def of(shuffle: BlockShuffle, conf: SQLConf): ShuffleDependency[Int, InternalRow, InternalRow]
}
