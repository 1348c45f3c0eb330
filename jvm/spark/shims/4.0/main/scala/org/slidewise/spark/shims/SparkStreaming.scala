package org.slidewise.spark.shims

import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.streaming.Trigger

/** Spark's classes for streams, which are in one package in 4.0. */
object SparkStreaming {
  type CheckpointFileManager = streaming.CheckpointFileManager
  val CheckpointFileManager = streaming.CheckpointFileManager
  val OffsetSeqMetadata = streaming.OffsetSeqMetadata

  type IncrementalExecution = streaming.IncrementalExecution
  type StreamExecution = streaming.StreamExecution
  type StreamingQueryWrapper = streaming.StreamingQueryWrapper
  val WatermarkPropagator = streaming.WatermarkPropagator

  type StateStoreWriter = streaming.StateStoreWriter
  type StatefulOperatorCustomMetric = streaming.StatefulOperatorCustomMetric
  val StatefulOperatorCustomSumMetric = streaming.StatefulOperatorCustomSumMetric
  val StatefulOperatorPartitioning = streaming.StatefulOperatorPartitioning
  type StatefulOperatorStateInfo = streaming.StatefulOperatorStateInfo
  val StreamingDeduplicateExec = streaming.StreamingDeduplicateExec

  /** Spark 4.0 has no real-time trigger. */
  def isRealTime(trigger: Trigger): Boolean = false
}
