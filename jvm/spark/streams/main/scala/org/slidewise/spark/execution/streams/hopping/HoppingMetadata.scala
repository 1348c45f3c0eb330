package org.slidewise.spark.execution.streams.hopping

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.SPARK_VERSION

import org.slidewise.spark.config.BuiltFor
import org.slidewise.spark.execution.streams.{CheckpointChanged, CorruptState, StoredColumn, StoredFunction}
import org.slidewise.spark.plan.HoppingWindows
import org.slidewise.spark.shims.SparkStreaming.CheckpointFileManager

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

  private[this] val directory = new Path(operatorPath, "_slidewise")
  private[this] val file = new Path(directory, "hopping.json")
  private[this] val files = CheckpointFileManager.create(operatorPath, hadoopConf)

  /** Whether Slidewise has begun the state. */
  def exists: Boolean = files.exists(file)

  /** Whether there is a state that Slidewise has not begun. */
  def isOfSpark: Boolean = files.exists(operatorPath) && !exists

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
      files.mkdirs(directory)
      val out = files.createAtomic(file, overwriteIfPossible = false)
      try {
        out.write(toJson(windows).toString.getBytes(UTF_8))
        out.close()
      } catch { case e: Throwable => out.cancel(); throw e }
    }

  /** Throws [[CheckpointChanged]] if the recorded windows, aggregates or buffers differ from `windows`. The file must exist. */
  private[hopping] def compare(windows: StoredHopping): Unit = {
    val kept = read()
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

  private def read(): StoredHopping = {
    val in = files.open(file)
    val bytes =
      try in.readAllBytes()
      finally in.close()
    val node =
      try Mapper.readTree(bytes)
      catch { case e: JsonProcessingException => throw new CorruptState(s"$file: ${e.getOriginalMessage}") }
    if (node == null || !node.path("format").isInt) throw new CorruptState(s"$file names no format")
    val format = node.get("format").asInt
    if (format > Format)
      throw new CheckpointChanged(
        operatorPath,
        s"is in format $format, and this version of Slidewise knows formats up to $Format",
        s"Use the version of Slidewise that wrote it, ${node.path("slidewise").asText}, or a later one"
      )
    try fromJson(node)
    catch { case e: IllegalArgumentException => throw new CorruptState(s"$file: ${e.getMessage}") }
  }
}

private[spark] object HoppingMetadata {

  /** The version of the file's format. [[PaneStore.FormatVersion]] is that of the state's entries. */
  private val Format = 1

  private val Mapper = new ObjectMapper

  private def toJson(windows: StoredHopping): ObjectNode = {
    val node = Mapper
      .createObjectNode()
      .put("format", Format)
      .put("slidewise", BuiltFor.VERSION)
      .put("spark", SPARK_VERSION)
      .put("panes", PaneStore.FormatVersion)
      .put("complete", windows.complete)
    node
      .putObject("windows")
      .put("size", windows.windows.size)
      .put("slide", windows.windows.slide)
      .put("offset", windows.windows.offset)
    columns(node, "keys", windows.keys)
    val functions = node.putArray("functions")
    windows.functions.foreach { f =>
      val function = functions.addObject().put("sql", f.sql).put("class", f.implementation)
      columns(function, "buffer", f.buffer)
      f.objectType.foreach(function.put("object", _))
    }
    node
  }

  private def columns(node: ObjectNode, field: String, columns: Seq[StoredColumn]): Unit = {
    val array = node.putArray(field)
    columns.foreach(c => array.addObject().put("name", c.name).put("type", c.sqlType))
  }

  private def fromJson(node: JsonNode): StoredHopping = {
    val windows = node.required("windows")
    StoredHopping(
      HoppingWindows(
        windows.required("size").asLong,
        windows.required("slide").asLong,
        windows.required("offset").asLong
      ),
      columnsFrom(node.required("keys")),
      elements(node.required("functions")).map { f =>
        StoredFunction(
          f.required("sql").asText,
          f.required("class").asText,
          columnsFrom(f.required("buffer")),
          Option(f.get("object")).map(_.asText),
          Nil
        )
      },
      node.required("complete").asBoolean
    )
  }

  private def elements(node: JsonNode): Seq[JsonNode] = node.elements.asScala.toSeq

  private def columnsFrom(node: JsonNode): Seq[StoredColumn] =
    elements(node).map(c => StoredColumn(c.required("name").asText, c.required("type").asText))
}
