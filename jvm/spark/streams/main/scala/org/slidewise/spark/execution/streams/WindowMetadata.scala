package org.slidewise.spark.execution.streams

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.SPARK_VERSION

import org.slidewise.spark.errors.RefusedQuery

/**
 * The file beside the state, `_slidewise/window.json`, that says which window the state belongs to, in which order and form its
 * parts are kept, and by which versions of Spark and Slidewise. A query with another window, or whose functions keep their states
 * in another form, is refused before it reads the state.
 *
 * A batch of a later Spark counts once it has been committed: `later` names that Spark and its first batch, which an earlier Spark
 * can repeat if it has failed.
 *
 * Format 2 records functions, buffers and columns one by one. Format 1 recorded one text, and no versions or buffers; a query
 * continues it if its expressions come in the same order.
 *
 * @param operatorPath
 *   the operator's folder in the checkpoint
 * @param sparkVersion
 *   the version of the running Spark
 */
final private[streams] class WindowMetadata(
    operatorPath: Path,
    hadoopConf: Configuration,
    sparkVersion: String = SPARK_VERSION
) {
  import WindowMetadata._

  private[this] val file =
    new MetadataFile(operatorPath, "window.json", Format, "cells" -> StateCells.FormatVersion, hadoopConf)

  /**
   * Refuses the checkpoint if it is another window's, and records `window` in a new one.
   *
   * @param text
   *   the window in format 1
   * @param batch
   *   the number of the batch that is about to run; those before it have been committed
   * @return
   *   how the window's parts are ordered in the state
   */
  def agree(window: StoredWindow, text: => StoredWindow.Text, batch: Long): StateLayout =
    if (file.exists) {
      val layout = compare(window, text, batch)
      read() match {
        case recorded: Recorded =>
          val continued = recorded.continuedBy(sparkVersion, batch)
          if (continued != recorded) file.write(toJson(continued), overwrite = true)
        case _ => ()
      }
      layout
    } else {
      file.write(toJson(Recorded(sparkVersion, None, window)), overwrite = false)
      StateLayout.of(window)
    }

  /** How the window's parts are ordered in the state that is there; refuses it if it is another window's. */
  def compare(window: StoredWindow, text: => StoredWindow.Text, batch: Long): StateLayout = read() match {
    case RecordedText(kept) =>
      if (!kept.agrees(text)) throw changed(kept.toString, text.toString)
      StateLayout.of(window)
    case recorded @ Recorded(_, _, kept) =>
      val written = recorded.writtenBy(batch)
      if (batch > 0 && isLater(written, sparkVersion))
        throw new CheckpointChanged(
          operatorPath,
          s"was written by Spark $written, and this is Spark $sparkVersion, which may not read it as it was meant",
          s"Use Spark ${written.split('.').take(2).mkString(".")} or a later version"
        )
      val layout = window.layoutIn(kept).getOrElse(throw changed(kept.toString, window.toString))
      compareForms(kept, window.in(layout), written)
      layout
  }

  /** Whether there is something to compare. */
  def exists: Boolean = file.exists

  private def changed(keeps: String, has: String) = new CheckpointChanged(
    operatorPath,
    s"belongs to another window.\n  It keeps:      $keeps\n  The query has: $has",
    "Continue with the window that it keeps. Or start the query with another checkpointLocation: it then begins with the " +
      "first rows that its source still has"
  )

  private def compareForms(kept: StoredWindow, window: StoredWindow, written: String): Unit =
    kept.frames.zip(window.frames).foreach { case (before, now) =>
      if (before.state != now.state)
        throw new CheckpointChanged(
          operatorPath,
          s"keeps ${before.state} for $before, and this query would keep ${now.state}",
          "Run the query with the version of Slidewise and the settings of spark.slidewise that it was begun with, or start it " +
            "with another checkpointLocation"
        )
      if (before.state == StoredFrame.Buffers) before.functions.zip(now.functions).foreach { case (a, b) =>
        if (a.form != b.form)
          throw new CheckpointChanged(
            operatorPath,
            s"keeps ${a.sql} in another form.\n  It keeps:      ${a.form}, written by Spark $written\n" +
              s"  The query has: ${b.form}, in Spark $sparkVersion",
            "Continue with the versions of Spark and Slidewise that wrote it, or start the query with another checkpointLocation"
          )
      }
    }

  private def read(): Content =
    file.read(node => if (node.get("format").asInt == 1) textFrom(node) else recordedFrom(node))

  private def toJson(recorded: Recorded): ObjectNode = {
    val node = file.begin(recorded.spark)
    put(node, recorded)
    node
  }
}

private[streams] object WindowMetadata {

  /** The version of the file's format. [[StateCells.FormatVersion]] is that of the state's cells. */
  val Format = 2

  sealed private trait Content

  /**
   * @param spark
   *   the version of Spark that wrote the state
   * @param later
   *   a later version that has begun to write it
   */
  final private case class Recorded(spark: String, later: Option[LaterSpark], window: StoredWindow)
      extends Content {

    /** The latest Spark of the batches before `batch`. */
    def writtenBy(batch: Long): String = later.filter(_.firstBatch < batch).fold(spark)(_.spark)

    /** The same state when `running` is about to write `batch`. */
    def continuedBy(running: String, batch: Long): Recorded = {
      val written = if (batch == 0) running else writtenBy(batch)
      copy(written, Option.when(isLater(running, written))(LaterSpark(running, batch)))
    }
  }

  /** A version of Spark, and the first batch that it may have written. */
  final private case class LaterSpark(spark: String, firstBatch: Long)

  final private case class RecordedText(text: StoredWindow.Text) extends Content

  /** Whether the minor of `version` is after that of `other`. */
  private def isLater(version: String, other: String): Boolean = {
    def minor(v: String) = v.split('.').take(2).map(_.toIntOption.getOrElse(0)).foldLeft(0)(_ * 1000 + _)
    minor(version) > minor(other)
  }

  private def put(node: ObjectNode, recorded: Recorded): Unit = {
    val window = recorded.window
    node.put("mode", window.mode)
    recorded.later.foreach { later =>
      node.putObject("later").put("spark", later.spark).put("firstBatch", later.firstBatch)
    }
    val keys = node.putArray("partitionBy")
    window.partitionBy.foreach(keys.add(_))
    node.put("orderBy", window.orderBy)
    MetadataFile.putColumns(node, "input", window.input)
    val frames = node.putArray("frames")
    window.frames.zipWithIndex.foreach { case (frame, i) =>
      val child = frames
        .addObject()
        .put("section", StateCells.FirstFrame + i)
        .put("frame", frame.frame)
        .put("state", frame.state)
      MetadataFile.putFunctions(child, frame.functions)
    }
  }

  private def textFrom(node: JsonNode): RecordedText = {
    val computed = node.path("computed").properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap
    RecordedText(StoredWindow.Text(node.required("window").asText, computed))
  }

  private def recordedFrom(node: JsonNode): Recorded = Recorded(
    node.required("spark").asText,
    Option(node.get("later")).map(l =>
      LaterSpark(l.required("spark").asText, l.required("firstBatch").asLong)
    ),
    windowFrom(node)
  )

  private def windowFrom(node: JsonNode): StoredWindow = StoredWindow(
    MetadataFile.elements(node.required("frames")).map { frame =>
      StoredFrame(
        frame.required("frame").asText,
        frame.required("state").asText,
        MetadataFile.functionsFrom(frame)
      )
    },
    MetadataFile.elements(node.required("partitionBy")).map(_.asText),
    node.required("orderBy").asText,
    MetadataFile.columnsFrom(node.required("input")),
    node.required("mode").asText
  )
}

/** A checkpoint that the query cannot continue. */
final class CheckpointChanged(state: Path, what: String, remedy: String)
    extends RefusedQuery(
      CheckpointChanged.Condition,
      CheckpointChanged.SqlState,
      s"The state in $state $what.\n$remedy",
      Map("state" -> state.toString, "what" -> what, "remedy" -> remedy)
    )

object CheckpointChanged {
  val Condition = "SLIDEWISE_STREAM_CHECKPOINT_CHANGED"
  val SqlState = "42K03"
}
