package org.slidewise.spark.execution.streams.hopping

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration

import org.apache.spark.SPARK_VERSION

import org.slidewise.spark.execution.streams.{
  CheckpointChanged,
  MetadataFile,
  OperatorFolder,
  OperatorMetadata
}
import org.slidewise.spark.plan.HoppingWindows

/** The description of the state of hopping windows: the windows, the keys, and the aggregates with their buffers. */
final private[streams] class HoppingMetadata(
    folder: OperatorFolder,
    hadoopConf: Configuration,
    sparkVersion: String = SPARK_VERSION
) extends OperatorMetadata[StoredHopping, Unit](
      folder,
      HoppingWindowStateExec.ShortName,
      "panes" -> PaneStore.FormatVersion,
      hadoopConf,
      sparkVersion
    ) {

  override def agree(windows: StoredHopping, batch: Long): Unit = {
    if (batch > 0 && HoppingMetadata.isOfSpark(folder, hadoopConf))
      throw new CheckpointChanged(
        folder.state,
        s"was begun by Spark's own operator, and this query would keep the panes of $windows",
        "Start the query with spark.slidewise.enabled=false, or with another checkpointLocation"
      )
    super.agree(windows, batch)
  }

  override protected def layoutOf(windows: StoredHopping): Unit = ()

  override protected def layoutIn(kept: StoredHopping, windows: StoredHopping): Option[Unit] =
    Option.when(kept.canonical == windows.canonical)(())

  override protected def compareForms(
      kept: StoredHopping,
      windows: StoredHopping,
      layout: Unit,
      written: String
  ): Unit = kept.functions.zip(windows.functions).foreach { case (before, now) =>
    if (before.form != now.form) throw otherForm(before.sql, before.form, now.form, written)
  }

  override protected def put(node: ObjectNode, state: StoredHopping): Unit = {
    node.put("complete", state.complete)
    node
      .putObject("windows")
      .put("size", state.windows.size)
      .put("slide", state.windows.slide)
      .put("offset", state.windows.offset)
    val keys = node.putArray("keys")
    state.keys.foreach(key => MetadataFile.put(keys.addObject(), key))
    val types = node.putArray("keyTypes")
    state.keyTypes.foreach(types.add(_))
    MetadataFile.putFunctions(node, state.functions)
  }

  override protected def from(node: JsonNode): StoredHopping = {
    val windows = node.required("windows")
    StoredHopping(
      HoppingWindows(
        windows.required("size").asLong,
        windows.required("slide").asLong,
        windows.required("offset").asLong
      ),
      MetadataFile.elements(node.required("keys")).map(MetadataFile.identityFrom),
      MetadataFile.elements(node.required("keyTypes")).map(_.asText),
      MetadataFile.functionsFrom(node),
      node.required("complete").asBoolean
    )
  }
}

private[spark] object HoppingMetadata {

  /** Whether one of Spark's own operators has begun the state. */
  def isOfSpark(folder: OperatorFolder, hadoopConf: Configuration): Boolean =
    !folder.isDescribed(hadoopConf) &&
      folder.beganBy(hadoopConf).exists(_ != HoppingWindowStateExec.ShortName)
}
