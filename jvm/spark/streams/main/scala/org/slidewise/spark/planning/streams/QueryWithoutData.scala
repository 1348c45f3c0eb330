package org.slidewise.spark.planning.streams

import java.util.UUID

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{
  CurrentBatchTimestamp,
  CurrentDate,
  CurrentTimestamp,
  LocalTimestamp
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.shims.SparkSessions
import org.slidewise.spark.shims.SparkStreaming._

/** Plans a streaming query without data, and writes nothing to its checkpoint. */
private[streams] object QueryWithoutData {

  /**
   * @param state
   *   the folder of the states in the checkpoint
   */
  def planned(
      session: SparkSession,
      query: LogicalPlan,
      mode: OutputMode,
      state: Path
  ): IncrementalExecution =
    new IncrementalExecution(
      SparkSessions.of(session),
      asInBatch(query),
      mode,
      state.toString,
      UUID.randomUUID,
      UUID.randomUUID,
      0,
      None,
      OffsetSeqMetadata(0, 0),
      WatermarkPropagator.noop(),
      isFirstBatch = false
    )

  /** Replaces the current time as Spark does in a batch, whose time is set after its plan has been optimized. */
  private def asInBatch(plan: LogicalPlan) = plan.transformAllExpressions {
    case now: CurrentTimestamp => CurrentBatchTimestamp(0, now.dataType)
    case now: LocalTimestamp   => CurrentBatchTimestamp(0, now.dataType, now.timeZoneId)
    case today: CurrentDate    => CurrentBatchTimestamp(0, today.dataType, today.timeZoneId)
  }
}
