package org.slidewise.spark.planning.streams

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.execution.streams.{CheckpointChanged, OperatorFolder, StreamingSlidingWindowExec}
import org.slidewise.spark.shims.SparkSessions
import org.slidewise.spark.shims.SparkStreaming._

/**
 * Refuses, at its start, a query over a checkpoint that another window has begun. The check of the first batch is decisive, but
 * Spark plans this batch only when there is data. The check here plans a batch without data, and does not write to the checkpoint.
 */
private object CheckpointCheck extends Logging {

  def apply(session: SparkSession, write: WriteToStream): Unit = {
    val state = new Path(write.resolvedCheckpointLocation, "state")
    val hadoopConf = SparkSessions.of(session).sessionState.newHadoopConf()
    try
      if (CheckpointFileManager.create(state, hadoopConf).exists(state)) {
        val batch = OperatorFolder.nextBatch(new Path(write.resolvedCheckpointLocation), hadoopConf)
        QueryWithoutData.planned(session, write.inputQuery, OutputMode.Append(), state).executedPlan.foreach {
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
}
