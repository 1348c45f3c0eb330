package org.slidewise.spark.shims

import org.apache.spark.{Partitioner, ShuffleDependency}
import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf

object BlockShuffles {

  /**
   * A shuffle of blocks of rows. Its tasks compute Spark's checksums, if the settings ask for them.
   *
   * @param rowsOf
   *   the rows of a block; must be serializable
   */
  def dependency(
      blocks: RDD[Product2[Int, InternalRow]],
      partitioner: Partitioner,
      serializer: Serializer,
      writeMetrics: Map[String, SQLMetric],
      rowsOf: InternalRow => Iterator[InternalRow],
      conf: SQLConf
  ): ShuffleDependency[Int, InternalRow, InternalRow] =
    new ShuffleDependency[Int, InternalRow, InternalRow](
      blocks,
      partitioner,
      serializer,
      None,
      None,
      false,
      ShuffleExchangeExec.createShuffleWriteProcessor(writeMetrics),
      BlockChecksum.of(partitioner.numPartitions, rowsOf, conf),
      conf.shuffleChecksumMismatchFullRetryEnabled
    )
}
