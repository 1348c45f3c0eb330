package org.slidewise.spark.execution.streams.checkpoints

import java.util.UUID

import scala.util.Try

import org.apache.hadoop.conf.Configuration

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.state.StateStoreConf
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.shims.SparkSessions
import org.slidewise.spark.shims.SparkStreaming

/**
 * The query of a checkpoint, as the logs of the checkpoint describe it.
 *
 * @param batch
 *   the last committed batch
 * @param planned
 *   the next batch, if it has been planned and not committed
 */
final private[checkpoints] case class StoppedQuery(
    folder: CheckpointFolder,
    id: String,
    batch: Long,
    offsets: LogEntry,
    commit: LogEntry,
    planned: Option[LogEntry]
) {
  import StoppedQuery._

  /** The settings with which the query runs, regardless of the settings of its session. */
  def settings: Map[String, String] = offsets.settings

  def shufflePartitions: Int = Try(settings(ShufflePartitions).toInt)
    .filter(_ > 0)
    .getOrElse(throw new CorruptState(s"offsets/$batch names no valid $ShufflePartitions"))

  def provider: String =
    settings.getOrElse(Provider, throw new CorruptState(s"offsets/$batch names no $Provider"))

  /** The watermark of the next batch in milliseconds, or 0. */
  def watermark: Long = commit.content.path("nextBatchWatermarkMs").asLong

  /** Whether the states have identifiers, as in format 2 of Spark's checkpoints. */
  def hasStoreIds: Boolean = commit.content.path("stateUniqueIds").isObject

  /** The version of the state of an operator after the last batch. */
  def version(operator: Long): StoreVersion = new StoreVersion(
    batch + 1,
    if (!hasStoreIds) None
    else
      Some(
        commit
          .storeIds(operator)
          .getOrElse(
            throw new CorruptState(s"commits/$batch has no identifiers of the state of operator $operator")
          )
      )
  )

  def operators: Operators = new Operators(folder, provider, batch + 1)

  /** The stores of an operator of this checkpoint, with the settings of the query, overridden by `changed`. */
  def stores(
      session: SparkSession,
      operator: KnownOperator,
      in: CheckpointFolder = folder,
      changed: Map[String, String] = Map.empty
  ): StateStores = {
    val conf = SparkSessions.of(session).sessionState.conf.clone()
    SparkStreaming.OffsetSeqMetadata.setSessionConf(
      SparkStreaming.OffsetSeqMetadata(offsets.content.toString),
      conf
    )
    (Map(Format -> (if (hasStoreIds) "2" else "1")) ++ changed).foreach { case (name, value) =>
      conf.setConfString(name, value)
    }
    val hadoopConf = new Configuration(folder.hadoopConf)
    hadoopConf.set(SparkStreaming.RunIdKey, UUID.randomUUID().toString)
    new StateStores(
      in.states.toString,
      operator.id,
      operator.form.schemas,
      new StateStoreConf(conf),
      new SerializableConfiguration(hadoopConf)
    )
  }
}

private[checkpoints] object StoppedQuery {
  val ShufflePartitions: String = SQLConf.SHUFFLE_PARTITIONS.key
  val Provider: String = SQLConf.STATE_STORE_PROVIDER_CLASS.key
  val Format = "spark.sql.streaming.stateStore.checkpointFormatVersion"

  /** The text of a file in `offsets` of a checkpoint that is being written. Spark starts no query from it. */
  val Unfinished = "unfinished: slidewise is writing this checkpoint"

  /** Reads the logs. Throws [[InvalidCheckpoint]] if no batch has been committed, and [[CorruptState]] if a file is damaged. */
  def in(folder: CheckpointFolder): StoppedQuery = {
    def refused(problem: String, allowed: String) =
      throw new InvalidCheckpoint("path", folder.path.toString, problem, allowed)
    if (!folder.hasFiles || !folder.exists("metadata") && !folder.exists("offsets"))
      refused("is no checkpoint of a streaming query", "Allowed: the checkpointLocation of a query")
    val planned = folder.batches("offsets")
    planned.lastOption.filter(last => folder.text(s"offsets/$last").startsWith("unfinished: ")).foreach { _ =>
      refused(
        "is not finished: the command that was writing it is still running, or has failed",
        "Delete it if the command has ended, and run the command again"
      )
    }
    val batch = folder
      .batches("commits")
      .lastOption
      .getOrElse(
        refused("has no committed batch", "Start the query, which then begins anew")
      )
    if (!planned.contains(batch))
      throw new CorruptState(s"batch $batch is committed, and ${folder.path}/offsets/$batch is missing")
    if (planned.last > batch + 1)
      throw new CorruptState(
        s"batch ${planned.last} is planned, and batch $batch is the last that is committed"
      )
    StoppedQuery(
      folder,
      LogEntry.objectIn(folder.text("metadata"), s"${folder.path}/metadata").path("id").asText("unknown"),
      batch,
      folder.entry(s"offsets/$batch"),
      folder.entry(s"commits/$batch"),
      planned.lastOption.filter(_ > batch).map(next => folder.entry(s"offsets/$next"))
    )
  }
}
