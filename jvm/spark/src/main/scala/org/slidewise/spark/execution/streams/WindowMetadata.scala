package org.slidewise.spark.execution.streams

import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.streaming.checkpointing.CheckpointFileManager
import org.apache.spark.sql.types.{DateType, TimestampNTZType, TimestampType}

import org.slidewise.spark.errors.RefusedQuery
import org.slidewise.spark.plan.{SlidingWindowPlan, WindowSql}

/** What is written beside the state, so that a checkpoint is not gone on with by another window than the one that began it. */
final private[streams] class WindowMetadata(operatorPath: Path, hadoopConf: Configuration) {
  import WindowMetadata._

  private[this] val directory = new Path(operatorPath, "_slidewise")
  private[this] val file = new Path(directory, "window.json")

  /** Writes `window` if nothing is there, and refuses it if something else is. */
  def agree(window: DescribedWindow): Unit = {
    val files = CheckpointFileManager.create(directory, hadoopConf)
    if (files.exists(file)) compare(read(files), window)
    else {
      files.mkdirs(directory)
      val out = files.createAtomic(file, overwriteIfPossible = false)
      out.write(toJson(window))
      out.close()
    }
  }

  private def toJson(window: DescribedWindow): Array[Byte] = {
    val node = Mapper.createObjectNode().put("format", StateCells.FormatVersion).put("window", window.text)
    val computed = node.putObject("computed")
    window.computed.toSeq.sorted.foreach { case (column, sql) => computed.put(column, sql) }
    node.toString.getBytes(UTF_8)
  }

  private def read(files: CheckpointFileManager): (Int, DescribedWindow) = {
    val in = files.open(file)
    try {
      val node =
        try Mapper.readTree(in.readAllBytes())
        catch { case e: JsonProcessingException => throw new CorruptState(s"$file: ${e.getOriginalMessage}") }
      if (node == null || !node.has("format") || !node.has("window"))
        throw new CorruptState(s"$file is cut off")
      val computed = node.path("computed").properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap
      (node.get("format").asInt, DescribedWindow(node.get("window").asText, computed))
    } finally in.close()
  }

  private def compare(kept: (Int, DescribedWindow), window: DescribedWindow): Unit = {
    val (format, keptWindow) = kept
    if (format > StateCells.FormatVersion)
      throw new CheckpointChanged(
        operatorPath,
        s"is in format $format, and this version of Slidewise knows formats up to ${StateCells.FormatVersion}",
        "Use the version of Slidewise that wrote it, or a later one"
      )
    if (!keptWindow.agrees(window))
      throw new CheckpointChanged(
        operatorPath,
        s"belongs to another window.\n  It keeps:      $keptWindow\n  The query has: $window",
        "Go on with the window that it keeps; or, for the new one, start the query with another checkpointLocation, where " +
          "it begins with the first rows that its source still has"
      )
  }
}

/**
 * A window in words.
 *
 * @param computed
 *   what the columns `_w0` and so on stand for in `text`; version 0.1 did not keep it
 */
final private[streams] case class DescribedWindow(text: String, computed: Map[String, String]) {
  def agrees(other: DescribedWindow): Boolean =
    text == other.text && computed.forall { case (column, sql) =>
      other.computed.get(column).forall(_ == sql)
    }

  override def toString: String =
    text + (if (computed.isEmpty) ""
            else
              computed.toSeq.sorted
                .map { case (column, sql) => s"$column = $sql" }
                .mkString(" WITH ", ", ", ""))
}

private[streams] object WindowMetadata {
  private val Mapper = new ObjectMapper

  /** The window in words, the same for the same query in each of its runs. */
  def describe(
      plan: SlidingWindowPlan,
      partitionSpec: Seq[Expression],
      order: SortOrder,
      input: Seq[Attribute],
      mode: String,
      computed: Map[String, String]
  ): DescribedWindow = {
    val frames = plan.frames.map { frame =>
      val functions = frame.aggregates.map { a =>
        text(a.function) + a.filter.fold("")(f => s" FILTER (WHERE ${text(f)})")
      }
      functions.mkString(", ") + " OVER " + WindowSql.of(frame.frame)
    }
    val described =
      s"${frames.mkString("; ")} PARTITION BY ${partitionSpec.map(text).mkString(", ")} ORDER BY ${text(order.child)} " +
        s"OF ${input.map(a => s"${a.name} ${a.dataType.sql}").mkString(", ")} IN MODE $mode"
    DescribedWindow(described, computed)
  }

  // Times of the batch, such as now(), are another literal each time.
  private def text(expression: Expression): String = expression.transform {
    case a: AttributeReference                                              => a.withQualifier(Nil)
    case Literal(_, moment @ (TimestampType | TimestampNTZType | DateType)) =>
      AttributeReference(s"<${moment.sql}>", moment)()
  }.sql
}

/** A checkpoint that the query cannot go on with. */
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
