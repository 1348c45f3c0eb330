package org.slidewise.spark.shims

import java.io.Closeable

import scala.collection.AbstractIterator

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.execution.streaming.state.{ReadStateStore, StateStore, UnsafeRowPair}

/** Spark's classes for streams, which are in one package in 4.0. */
object SparkStreaming {
  type CheckpointFileManager = streaming.CheckpointFileManager
  val CheckpointFileManager = streaming.CheckpointFileManager
  val OffsetSeqMetadata = streaming.OffsetSeqMetadata

  type IncrementalExecution = streaming.IncrementalExecution
  type StreamExecution = streaming.StreamExecution
  type StreamingQueryWrapper = streaming.StreamingQueryWrapper
  val WatermarkPropagator = streaming.WatermarkPropagator

  /** The key in Hadoop's configuration under which a state store finds the identifier of its query's run. */
  val RunIdKey: String = streaming.StreamExecution.RUN_ID_KEY

  type EventTimeWatermarkExec = streaming.EventTimeWatermarkExec
  type StateStoreWriter = streaming.StateStoreWriter
  type StatefulOperatorCustomMetric = streaming.StatefulOperatorCustomMetric
  val StatefulOperatorCustomSumMetric = streaming.StatefulOperatorCustomSumMetric
  val StatefulOperatorPartitioning = streaming.StatefulOperatorPartitioning
  type StatefulOperatorStateInfo = streaming.StatefulOperatorStateInfo
  val StateStoreRestoreExec = streaming.StateStoreRestoreExec
  val StateStoreSaveExec = streaming.StateStoreSaveExec
  val StreamingDeduplicateExec = streaming.StreamingDeduplicateExec

  /** Spark 4.0 has no real-time trigger. */
  def isRealTime(write: WriteToStreamStatement): Boolean = false

  def isContinuous(write: WriteToStreamStatement): Boolean = write.isContinuousTrigger

  /** The rows, as input of a stateful operator. */
  def withoutOtherState(rows: RDD[InternalRow]): RDD[InternalRow] = rows

  /** The cells whose keys begin with `prefix`. The iterator reuses its object, and the caller must close it. */
  def prefixScan(store: StateStore, prefix: UnsafeRow): Iterator[UnsafeRowPair] with Closeable =
    cells(StateStoreScans.prefixScan(store, prefix, StateStore.DEFAULT_COL_FAMILY_NAME))

  /** All cells. The iterator reuses its object, and the caller must close it. */
  def scan(store: ReadStateStore): Iterator[UnsafeRowPair] with Closeable =
    cells(StateStoreScans.iterator(store, StateStore.DEFAULT_COL_FAMILY_NAME))

  private def cells(found: AnyRef): Iterator[UnsafeRowPair] with Closeable = found match {
    case closeable: Iterator[UnsafeRowPair @unchecked] with Closeable => closeable
    case plain => new Cells(plain.asInstanceOf[Iterator[UnsafeRowPair]])
  }

  /** The iterator of 4.0.0, which cannot be closed. */
  final private class Cells(cells: Iterator[UnsafeRowPair])
      extends AbstractIterator[UnsafeRowPair]
      with Closeable {
    override def hasNext: Boolean = cells.hasNext
    override def next(): UnsafeRowPair = cells.next()
    override def close(): Unit = ()
  }
}
