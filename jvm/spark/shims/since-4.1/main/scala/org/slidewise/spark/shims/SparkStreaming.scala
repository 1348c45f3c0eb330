package org.slidewise.spark.shims

import org.apache.spark.sql.execution.streaming.{checkpointing, runtime, RealTimeTrigger}
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.streaming.Trigger

/** Spark's classes for streams, which have moved to other packages in 4.1. */
object SparkStreaming {
  type CheckpointFileManager = checkpointing.CheckpointFileManager
  val CheckpointFileManager = checkpointing.CheckpointFileManager
  val OffsetSeqMetadata = checkpointing.OffsetSeqMetadata

  type IncrementalExecution = runtime.IncrementalExecution
  type StreamExecution = runtime.StreamExecution
  type StreamingQueryWrapper = runtime.StreamingQueryWrapper
  val WatermarkPropagator = runtime.WatermarkPropagator

  type StateStoreWriter = stateful.StateStoreWriter
  type StatefulOperatorCustomMetric = stateful.StatefulOperatorCustomMetric
  val StatefulOperatorCustomSumMetric = stateful.StatefulOperatorCustomSumMetric
  val StatefulOperatorPartitioning = stateful.StatefulOperatorPartitioning
  type StatefulOperatorStateInfo = stateful.StatefulOperatorStateInfo
  val StreamingDeduplicateExec = stateful.StreamingDeduplicateExec

  def isRealTime(trigger: Trigger): Boolean = trigger.isInstanceOf[RealTimeTrigger]
}
