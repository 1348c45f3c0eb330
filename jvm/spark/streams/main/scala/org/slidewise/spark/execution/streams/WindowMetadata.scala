package org.slidewise.spark.execution.streams

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration

import org.apache.spark.SPARK_VERSION

/** The description of a window's state, with each function, buffer and column. */
final private[streams] class WindowMetadata(
    folder: OperatorFolder,
    hadoopConf: Configuration,
    sparkVersion: String = SPARK_VERSION
) extends OperatorMetadata[StoredWindow, StateLayout](
      folder,
      StreamingSlidingWindowExec.ShortName,
      "cells" -> StateCells.FormatVersion,
      hadoopConf,
      sparkVersion
    ) {

  override protected def layoutOf(window: StoredWindow): StateLayout = StateLayout.of(window)

  override protected def layoutIn(kept: StoredWindow, window: StoredWindow): Option[StateLayout] =
    window.layoutIn(kept)

  override protected def compareForms(
      kept: StoredWindow,
      window: StoredWindow,
      layout: StateLayout,
      written: String
  ): Unit = kept.frames.zip(window.in(layout).frames).foreach { case (before, now) =>
    if (before.state != now.state)
      throw new CheckpointChanged(
        folder.state,
        s"keeps ${before.state} for $before, and this query would keep ${now.state}",
        "Run the query with the version of Slidewise and the settings of spark.slidewise that it was begun with, or start it " +
          "with another checkpointLocation"
      )
    if (before.state == StoredFrame.Buffers) before.functions.zip(now.functions).foreach { case (a, b) =>
      if (a.form != b.form) throw otherForm(a.sql, a.form, b.form, written)
    }
  }

  override protected def put(node: ObjectNode, window: StoredWindow): Unit = {
    node.put("mode", window.mode)
    MetadataFile.putInputs(node, "partitionBy", window.partitionBy)
    MetadataFile.put(node.putObject("orderBy"), window.orderBy)
    MetadataFile.putInputs(node, "input", window.input)
    val frames = node.putArray("frames")
    window.frames.zipWithIndex.foreach { case (frame, i) =>
      val child = MetadataFile
        .put(frames.addObject().put("section", StateCells.FirstFrame + i), frame.frame)
        .put("state", frame.state)
      MetadataFile.putFunctions(child, frame.functions)
    }
  }

  override protected def from(node: JsonNode): StoredWindow = StoredWindow(
    MetadataFile.elements(node.required("frames")).map { frame =>
      StoredFrame(
        MetadataFile.identityFrom(frame),
        frame.required("state").asText,
        MetadataFile.functionsFrom(frame)
      )
    },
    MetadataFile.inputsFrom(node.required("partitionBy")),
    MetadataFile.identityFrom(node.required("orderBy")),
    MetadataFile.inputsFrom(node.required("input")),
    node.required("mode").asText
  )
}
