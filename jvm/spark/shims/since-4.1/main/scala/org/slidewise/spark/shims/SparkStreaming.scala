package org.slidewise.spark.shims

import java.io.Closeable

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.streaming.{checkpointing, runtime, ContinuousTrigger, RealTimeTrigger}
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.state.{
  ReadStateStore,
  StateStore,
  StateStoreThreadLocalTracker,
  UnsafeRowPair
}

/** Spark's classes for streams, which have moved to other packages in 4.1. */
object SparkStreaming {
  type CheckpointFileManager = checkpointing.CheckpointFileManager
  val CheckpointFileManager = checkpointing.CheckpointFileManager
  val OffsetSeqMetadata = checkpointing.OffsetSeqMetadata

  type IncrementalExecution = runtime.IncrementalExecution
  type StreamExecution = runtime.StreamExecution
  type StreamingQueryWrapper = runtime.StreamingQueryWrapper
  val WatermarkPropagator = runtime.WatermarkPropagator

  /** The key in Hadoop's configuration under which a state store finds the identifier of its query's run. */
  val RunIdKey: String = runtime.StreamExecution.RUN_ID_KEY

  type EventTimeWatermarkExec = stateful.EventTimeWatermarkExec
  type StateStoreWriter = stateful.StateStoreWriter
  type StatefulOperatorCustomMetric = stateful.StatefulOperatorCustomMetric
  val StatefulOperatorCustomSumMetric = stateful.StatefulOperatorCustomSumMetric
  val StatefulOperatorPartitioning = stateful.StatefulOperatorPartitioning
  type StatefulOperatorStateInfo = stateful.StatefulOperatorStateInfo
  val StateStoreRestoreExec = stateful.StateStoreRestoreExec
  val StateStoreSaveExec = stateful.StateStoreSaveExec
  val StreamingDeduplicateExec = stateful.StreamingDeduplicateExec

  def isRealTime(write: WriteToStreamStatement): Boolean = write.trigger.isInstanceOf[RealTimeTrigger]

  def isContinuous(write: WriteToStreamStatement): Boolean = write.trigger.isInstanceOf[ContinuousTrigger]

  /**
   * The rows, as input of a stateful operator. An aggregation in the same task leaves its state store in a thread-local variable,
   * which the next operator would use as its own. This method clears the variable.
   */
  def withoutOtherState(rows: RDD[InternalRow]): RDD[InternalRow] = rows.mapPartitions { found =>
    StateStoreThreadLocalTracker.clearStore()
    found
  }

  /** The cells whose keys begin with `prefix`. The iterator reuses its object, and the caller must close it. */
  def prefixScan(store: StateStore, prefix: UnsafeRow): Iterator[UnsafeRowPair] with Closeable =
    store.prefixScan(prefix, StateStore.DEFAULT_COL_FAMILY_NAME)

  /** All cells. The iterator reuses its object, and the caller must close it. */
  def scan(store: ReadStateStore): Iterator[UnsafeRowPair] with Closeable =
    store.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
}
