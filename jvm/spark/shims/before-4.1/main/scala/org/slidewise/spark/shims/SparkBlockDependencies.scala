package org.slidewise.spark.shims

import org.apache.spark.ShuffleDependency
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.internal.SQLConf

object SparkBlockDependencies extends BlockDependencies {

  override def hasChecksums(conf: SQLConf): Boolean = false

  override def of(shuffle: BlockShuffle, conf: SQLConf): ShuffleDependency[Int, InternalRow, InternalRow] = {
    import shuffle._
    new ShuffleDependency[Int, InternalRow, InternalRow](
      blocks,
      partitioner,
      serializer,
      shuffleWriterProcessor = ShuffleExchangeExec.createShuffleWriteProcessor(writeMetrics)
    )
  }
}
