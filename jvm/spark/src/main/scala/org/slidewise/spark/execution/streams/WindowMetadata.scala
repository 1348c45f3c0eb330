package org.slidewise.spark.execution.streams

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.types.{DateType, TimestampNTZType, TimestampType}

import org.slidewise.spark.RefusedQuery
import org.slidewise.spark.planning.WindowSql
import org.slidewise.spark.planning.streams.StreamPlan

/** What is written beside the state, so that a checkpoint is not gone on with by another window than the one that began it. */
final private[streams] class WindowMetadata(operatorPath: Path, hadoopConf: Configuration) {
  import WindowMetadata._

  private[this] val directory = new Path(operatorPath, "_slidewise")
  private[this] val file = new Path(directory, "window.json")

  /** Writes `window` if nothing is there, and refuses it if something else is. */
  def agree(window: String): Unit = {
    val files = CheckpointFileManager.create(directory, hadoopConf)
    if (files.exists(file)) compare(read(files), window)
    else {
      files.mkdirs(directory)
      val out = files.createAtomic(file, overwriteIfPossible = false)
      val node = Mapper.createObjectNode().put("format", StateCells.FormatVersion).put("window", window)
      out.write(node.toString.getBytes(UTF_8))
      out.close()
    }
  }

  private def read(files: CheckpointFileManager): (Int, String) = {
    val in = files.open(file)
    try {
      val node =
        try Mapper.readTree(in.readAllBytes())
        catch { case e: JsonProcessingException => throw new CorruptState(s"$file: ${e.getOriginalMessage}") }
      if (node == null || !node.has("format") || !node.has("window"))
        throw new CorruptState(s"$file is cut off")
      (node.get("format").asInt, node.get("window").asText)
    } finally in.close()
  }

  private def compare(kept: (Int, String), window: String): Unit = {
    val (format, keptWindow) = kept
    if (format > StateCells.FormatVersion)
      throw new CheckpointChanged(
        s"it is in format $format, and this version of Slidewise knows formats up to ${StateCells.FormatVersion}",
        "use the version that wrote it, or a later one"
      )
    if (keptWindow != window)
      throw new CheckpointChanged(
        s"it keeps the window [$keptWindow], and the query has [$window]",
        "go on with the query that began it, or begin a new checkpoint"
      )
  }
}

private[streams] object WindowMetadata {
  private val Mapper = new ObjectMapper

  /** The window in words, the same for the same query in each of its runs. */
  def describe(
      plan: StreamPlan,
      partitionSpec: Seq[Expression],
      order: SortOrder,
      input: Seq[Attribute],
      mode: String
  ): String = {
    val frames = plan.frames.map { frame =>
      val functions = frame.aggregates.map { a =>
        text(a.function) + a.filter.fold("")(f => s" FILTER (WHERE ${text(f)})")
      }
      functions.mkString(", ") + " OVER " + WindowSql.of(frame.frame.specified)
    }
    s"${frames.mkString("; ")} PARTITION BY ${partitionSpec.map(text).mkString(", ")} ORDER BY ${text(order.child)} " +
      s"OF ${input.map(a => s"${a.name} ${a.dataType.sql}").mkString(", ")} IN MODE $mode"
  }

  // Times of the batch, such as now(), are another literal each time.
  private def text(expression: Expression): String = expression.transform {
    case a: AttributeReference                                              => a.withQualifier(Nil)
    case Literal(_, moment @ (TimestampType | TimestampNTZType | DateType)) =>
      AttributeReference(s"<${moment.sql}>", moment)()
  }.sql
}

/** A checkpoint that belongs to another window. */
final class CheckpointChanged(what: String, remedy: String)
    extends RefusedQuery(
      CheckpointChanged.Condition,
      CheckpointChanged.SqlState,
      s"The checkpoint cannot be gone on with: $what. Remedy: $remedy",
      Map("what" -> what, "remedy" -> remedy)
    )

object CheckpointChanged {
  val Condition = "SLIDEWISE_STREAM_CHECKPOINT_CHANGED"
  val SqlState = "42K03"
}
