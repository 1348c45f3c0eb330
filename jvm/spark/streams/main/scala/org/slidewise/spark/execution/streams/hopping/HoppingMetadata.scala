package org.slidewise.spark.execution.streams.hopping

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.SPARK_VERSION

import org.slidewise.spark.execution.streams.{CheckpointChanged, MetadataFile}
import org.slidewise.spark.plan.HoppingWindows

/**
 * Reads and writes `_slidewise/hopping.json`, the file that describes the state of hopping windows in a checkpoint. It records the
 * windows and aggregates, the form of their buffers, and the versions of Spark and Slidewise that began the state. Spark's own
 * operator has begun a state without this file.
 *
 * @param operatorPath
 *   the operator's folder in the checkpoint
 */
final private[spark] class HoppingMetadata(operatorPath: Path, hadoopConf: Configuration) {
  import HoppingMetadata._

  private[this] val file =
    new MetadataFile(operatorPath, "hopping.json", Format, "panes" -> PaneStore.FormatVersion, hadoopConf)

  /** Whether Slidewise has begun the state. */
  def exists: Boolean = file.exists

  /** Whether there is a state that Slidewise has not begun. */
  def isOfSpark: Boolean = file.operatorExists && !exists

  /**
   * Records `windows` in a new checkpoint. Throws [[CheckpointChanged]] if the checkpoint belongs to other windows or to Spark's
   * operator.
   */
  private[hopping] def agree(windows: StoredHopping): Unit =
    if (exists) compare(windows)
    else if (isOfSpark)
      throw new CheckpointChanged(
        operatorPath,
        s"was begun by Spark's own operator, and this query would keep the panes of ${windows.toString}",
        "Start the query with spark.slidewise.enabled=false, or with another checkpointLocation"
      )
    else {
      val node = file.begin(SPARK_VERSION)
      put(node, windows)
      file.write(node, overwrite = false)
    }

  /** Throws [[CheckpointChanged]] if the recorded windows, aggregates or buffers differ from `windows`. The file must exist. */
  private[hopping] def compare(windows: StoredHopping): Unit = {
    val kept = file.read(fromJson)
    if (kept.identity != windows.identity)
      throw new CheckpointChanged(
        operatorPath,
        s"belongs to other windows.\n  It keeps:      $kept\n  The query has: $windows",
        "Continue with the windows and aggregates that it keeps. Or start the query with another checkpointLocation: it then " +
          "begins with the first rows that its source still has"
      )
    kept.forms.zip(windows.forms).zip(kept.functions.map(_.sql)).foreach { case ((before, now), sql) =>
      if (before != now)
        throw new CheckpointChanged(
          operatorPath,
          s"keeps $sql in another form.\n  It keeps:      $before\n  The query has: $now, in Spark $SPARK_VERSION",
          "Continue with the versions of Spark and Slidewise that wrote it, or start the query with another checkpointLocation"
        )
    }
  }
}

private[spark] object HoppingMetadata {

  /** The version of the file's format. [[PaneStore.FormatVersion]] is that of the state's entries. */
  private val Format = 1

  private def put(node: ObjectNode, windows: StoredHopping): Unit = {
    node.put("complete", windows.complete)
    node
      .putObject("windows")
      .put("size", windows.windows.size)
      .put("slide", windows.windows.slide)
      .put("offset", windows.windows.offset)
    MetadataFile.putColumns(node, "keys", windows.keys)
    MetadataFile.putFunctions(node, windows.functions)
  }

  private def fromJson(node: JsonNode): StoredHopping = {
    val windows = node.required("windows")
    StoredHopping(
      HoppingWindows(
        windows.required("size").asLong,
        windows.required("slide").asLong,
        windows.required("offset").asLong
      ),
      MetadataFile.columnsFrom(node.required("keys")),
      MetadataFile.functionsFrom(node),
      node.required("complete").asBoolean
    )
  }
}
