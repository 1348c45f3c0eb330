package org.slidewise.spark.execution.exchange

import scala.concurrent.Future

import org.apache.spark.{Partitioner, ShuffleDependency}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.metric._

import org.slidewise.spark.execution.blocks.{BlockEncoder, BlockLayout, BlockRows}
import org.slidewise.spark.shims.{BlockShuffle, SparkBlockDependencies}

/**
 * A shuffle whose records are blocks of rows, so that Spark's writer and reader handle few records.
 *
 * Works with any shuffle manager, because a block is a row to Spark.
 */
abstract private[spark] class RowBlocksExchange extends ShuffleExchangeLike with BatchesIn {

  private lazy val writeMetrics = SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  private lazy val readMetrics = SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)

  /** The metrics that only this operator has. */
  protected def ownMetrics: Map[String, SQLMetric] = Map.empty

  override lazy val metrics: Map[String, SQLMetric] =
    BlockMetrics.create(sparkContext) ++ ownMetrics ++ readMetrics ++ writeMetrics

  override def numMappers: Int = inputRDD.getNumPartitions
  override def advisoryPartitionSize: Option[Long] = None
  def shuffleId: Int = shuffleDependency.shuffleId

  /** The rows to write. */
  protected def inputRDD: RDD[_]

  /** Whether there are rows to write. */
  protected def isWritten: Boolean = inputRDD.getNumPartitions > 0

  /** The blocks of each task's rows. Each block comes with the number of its partition. */
  protected def blocks(): RDD[Product2[Int, InternalRow]]

  /** The number of partitions of the shuffle. */
  protected def partitions: Int

  @transient lazy val shuffleDependency: ShuffleDependency[Int, InternalRow, InternalRow] =
    SparkBlockDependencies.of(
      BlockShuffle(
        blocks(),
        new NumberedPartitions(partitions),
        new UnsafeRowSerializer(numFields = 0, longMetric(BlockMetrics.BlockSize)),
        writeMetrics,
        BlockEncoder
      ),
      conf
    )

  @transient override protected lazy val mapOutputStatisticsFuture: Future[Nothing] =
    if (isWritten) MapStage.submit(sparkContext, shuffleDependency) else noStage

  // Spark's exchange has the same future for a shuffle without tasks.
  private def noStage: Future[Nothing] = Future.successful(null).asInstanceOf[Future[Nothing]]

  /** Writes the rows. Blocks until all tasks are done, and fails if they fail. */
  final protected def awaitWritten(): Unit = MapStage.await(mapOutputStatisticsFuture)

  /** The blocks of rows in some parts of the shuffle. */
  private[execution] def blocksOf(parts: Array[ShufflePartitionSpec]): RDD[InternalRow] =
    new ShuffledRowRDD(shuffleDependency, readMetrics, parts)

  /** The rows of a part, given its blocks. */
  private[execution] def rowsOf: Iterator[InternalRow] => BlockRows = {
    val layout = this.layout
    new BlockRows(_, layout)
  }

  /** Layout of a row's values in a block. */
  @transient final private lazy val layout: BlockLayout = BlockLayout.of(child.output)

  /** Layout, partitioning and metrics of the blocks that tasks write. */
  final protected def blockWrite: BlockWrite = BlockWrite(
    layout,
    partitions,
    SparkBlockDependencies.hasChecksums(conf),
    longMetric(BlockMetrics.Rows),
    longMetric(BlockMetrics.DataSize)
  )

  override def getShuffleRDD(partitionSpecs: Array[ShufflePartitionSpec]): RDD[InternalRow] =
    blocksOf(partitionSpecs).mapPartitions(rowsOf)

  override def runtimeStatistics: Statistics =
    Statistics(math.max(0L, metrics(BlockMetrics.DataSize).value), Some(metrics(BlockMetrics.Rows).value))

  override protected def doExecute(): RDD[InternalRow] =
    new ShuffledRowRDD(shuffleDependency, readMetrics).mapPartitions(rowsOf)
}

/** Partitions records by their keys, which are the numbers of their partitions. */
final private class NumberedPartitions(override val numPartitions: Int) extends Partitioner {
  override def getPartition(key: Any): Int = key.asInstanceOf[Int]
}
