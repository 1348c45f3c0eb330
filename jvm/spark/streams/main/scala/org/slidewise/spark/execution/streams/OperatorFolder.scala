package org.slidewise.spark.execution.streams

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.shims.SparkStreaming.CheckpointFileManager

/**
 * The part of a checkpoint that belongs to one stateful operator. It has the operator's state, which Spark writes, and the
 * description of the state, which Slidewise writes to `slidewise/<operator>.json`. The folder's name does not begin with `_` or `.`,
 * because tools that copy only visible files would drop the description.
 *
 * @param states
 *   the folder `state` of the checkpoint
 */
final private[spark] case class OperatorFolder(states: Path, operator: Long) {
  val state = new Path(states, operator.toString)
  val description = new Path(new Path(states.getParent, "slidewise"), s"$operator.json")

  /** Whether there is a description of the state, which only Slidewise's operators write. */
  def isDescribed(hadoopConf: Configuration): Boolean = files(description, hadoopConf).exists(description)

  /** Removes the state of a query that has committed no batch. Nothing can be read from it. */
  def discard(hadoopConf: Configuration): Unit = {
    Seq(state, description).foreach(path => files(path, hadoopConf).delete(path))
    new LaterSparks(this, hadoopConf).discard()
  }

  /**
   * The name of the operator that has begun the state. Spark records the name in a file. If the file is missing, as before Spark
   * 3.5, the schema of the state shows the operator. None if both are missing or do not name an operator.
   */
  def beganBy(hadoopConf: Configuration): Option[String] =
    read(new Path(state, "_metadata/metadata"), hadoopConf)
      .flatMap(operatorIn)
      .orElse(read(new Path(state, "0/_metadata/schema"), hadoopConf).flatMap(OperatorFolder.aggregationIn))

  private def operatorIn(metadata: String): Option[String] = Try {
    val json = new ObjectMapper().readTree(metadata.linesIterator.drop(1).mkString)
    json.path("operatorInfo").path("operatorName").asText("")
  }.toOption.filter(_.nonEmpty)

  private def read(file: Path, hadoopConf: Configuration): Option[String] = {
    val manager = files(file, hadoopConf)
    try
      if (!manager.exists(file)) None
      else {
        val in = manager.open(file)
        try Some(new String(in.readNBytes(OperatorFolder.MostBytes), UTF_8))
        finally in.close()
      }
    catch { case NonFatal(_) => None }
  }

  private def files(path: Path, hadoopConf: Configuration) =
    CheckpointFileManager.create(path.getParent, hadoopConf)
}

private[spark] object OperatorFolder {
  private val MostBytes = 1 << 20

  /** The name of Spark's own operator of aggregations. */
  val Aggregation = "stateStoreSave"

  /**
   * The operator that has begun a state with this schema. Spark's aggregation over windows has the window, a struct, in its key.
   */
  private def aggregationIn(schema: String): Option[String] =
    if (
      schema.contains("\"name\":\"start\"") && schema
        .contains("\"name\":\"end\"") && !schema.contains("\"name\":\"pane\"")
    )
      Some(Aggregation)
    else None

  /** The identifier of the query that the checkpoint was made for; it stays when the query is started again. */
  def queryOf(checkpoint: Path, hadoopConf: Configuration): String = {
    val file = new Path(checkpoint, "metadata")
    val in = CheckpointFileManager.create(checkpoint, hadoopConf).open(file)
    try new ObjectMapper().readTree(in.readNBytes(MostBytes)).required("id").asText
    finally in.close()
  }

  /** The number of the first batch that a checkpoint has not committed. */
  def nextBatch(checkpoint: Path, hadoopConf: Configuration): Long = {
    val commits = new Path(checkpoint, "commits")
    val files = CheckpointFileManager.create(commits, hadoopConf)
    val committed =
      if (files.exists(commits)) files.list(commits).flatMap(_.getPath.getName.toLongOption).toSeq else Nil
    // Object stores have listed new files late.
    if (committed.isEmpty && files.exists(new Path(commits, "0"))) 1L else committed.maxOption.fold(0L)(_ + 1)
  }
}
