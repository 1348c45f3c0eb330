package org.slidewise.spark.execution.streams

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.shims.SparkStreaming.CheckpointFileManager

/** A later version of Spark than the one that began a state, and the first batch that it may have written. */
final private[streams] case class LaterSpark(spark: String, firstBatch: Long)

/**
 * The later versions of Spark that have continued a state: a file `slidewise/<operator>.<first batch>.json` each. A batch counts once
 * it has been committed; if it has failed, an earlier Spark can repeat it.
 */
final private[streams] class LaterSparks(folder: OperatorFolder, hadoopConf: Configuration) {
  private val parent = folder.description.getParent
  private lazy val files = CheckpointFileManager.create(parent, hadoopConf)

  private def fileOf(firstBatch: Long) =
    JsonFile(new Path(parent, s"${folder.operator}.$firstBatch.json"), hadoopConf)

  private def batches: Seq[Long] = {
    val Name = s"${folder.operator}\\.(\\d{1,18})\\.json".r
    if (!files.exists(parent)) Nil
    else files.list(parent).map(_.getPath.getName).collect { case Name(batch) => batch.toLong }.sorted.toSeq
  }

  /** All later versions, in the order of their batches. */
  def all: Seq[LaterSpark] = batches.map(batch => LaterSpark(versionIn(fileOf(batch)), batch))

  /** Removes all files, whatever their contents. */
  def discard(): Unit = batches.foreach(delete)

  private def versionIn(file: JsonFile) = file.read { node =>
    if (node.get("format").asInt != MetadataFile.Format)
      throw new CorruptState(s"${file.path} has format ${node.get("format").asInt}")
    node.required("spark").asText
  }

  /**
   * Records that `later` is about to write a batch, or that no later Spark is. Removes the records of failed batches.
   *
   * @param known
   *   the result of [[all]]
   */
  def continue(batch: Long, later: Option[LaterSpark], known: Seq[LaterSpark]): Unit = {
    known.filter(_.firstBatch >= batch).filterNot(later.contains).foreach(k => delete(k.firstBatch))
    later.foreach { l =>
      val file = fileOf(l.firstBatch)
      // The list of files may be late.
      if (file.exists && versionIn(file) != l.spark) delete(l.firstBatch)
      if (!file.exists) file.write(JsonFile.begin(MetadataFile.Format).put("spark", l.spark))
    }
  }

  private def delete(firstBatch: Long): Unit = files.delete(fileOf(firstBatch).path)
}
