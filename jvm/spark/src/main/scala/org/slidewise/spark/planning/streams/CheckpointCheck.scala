package org.slidewise.spark.planning.streams

import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{
  CurrentBatchTimestamp,
  CurrentDate,
  CurrentTimestamp,
  LocalTimestamp
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.execution.streaming.checkpointing.{CheckpointFileManager, OffsetSeqMetadata}
import org.apache.spark.sql.execution.streaming.runtime.{IncrementalExecution, WatermarkPropagator}
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.execution.streams.{CheckpointChanged, StreamingSlidingWindowExec}

/**
 * Refuses a query over a checkpoint that another window has begun, when it is started. Spark plans the first batch, whose check
 * is decisive, only when there is data. This plans one without data, and does not write to the checkpoint.
 */
private object CheckpointCheck extends Logging {

  def apply(session: SparkSession, write: WriteToStream): Unit = {
    val state = new Path(write.resolvedCheckpointLocation, "state")
    val hadoopConf = session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf()
    try
      if (CheckpointFileManager.create(state, hadoopConf).exists(state)) {
        val batch = nextBatch(new Path(write.resolvedCheckpointLocation, "commits"), hadoopConf)
        planned(session, write, state).executedPlan.foreach {
          case window: StreamingSlidingWindowExec => window.compareCheckpoint(hadoopConf, batch)
          case _                                  => ()
        }
      }
    catch {
      case changed: CheckpointChanged          => throw changed
      case e @ (NonFatal(_) | _: LinkageError) =>
        logDebug("The checkpoint is compared when the first batch is planned", e)
    }
  }

  /** The number of the first batch that has not been committed. */
  private def nextBatch(commits: Path, hadoopConf: Configuration): Long = {
    val files = CheckpointFileManager.create(commits, hadoopConf)
    val committed =
      if (files.exists(commits)) files.list(commits).flatMap(_.getPath.getName.toLongOption).toSeq else Nil
    committed.maxOption.fold(0L)(_ + 1)
  }

  private def planned(session: SparkSession, write: WriteToStream, state: Path) = new IncrementalExecution(
    session.asInstanceOf[classic.SparkSession],
    asInBatch(write.inputQuery),
    OutputMode.Append(),
    state.toString,
    UUID.randomUUID,
    UUID.randomUUID,
    0,
    None,
    OffsetSeqMetadata(0, 0),
    WatermarkPropagator.noop(),
    isFirstBatch = false
  )

  /** A batch has its own time, which is set after its plan has been optimized. */
  private def asInBatch(plan: LogicalPlan) = plan.transformAllExpressions {
    case now: CurrentTimestamp => CurrentBatchTimestamp(0, now.dataType)
    case now: LocalTimestamp   => CurrentBatchTimestamp(0, now.dataType, now.timeZoneId)
    case today: CurrentDate    => CurrentBatchTimestamp(0, today.dataType, today.timeZoneId)
  }
}
