package org.slidewise.spark.execution.streams.checkpoints

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.{BinaryType, StructField}

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.streams._
import org.slidewise.spark.execution.streams.hopping.{HoppingMetadata, HoppingWindowStateExec, PaneStore}
import org.slidewise.spark.expressions.RowStructure
import org.slidewise.spark.plan.{CanonicalForm, StateTypes}

/**
 * An operator of a checkpoint whose state can be read.
 *
 * @param description
 *   the description of the state; none for Spark's own operators
 */
final private[checkpoints] class KnownOperator(
    val id: Long,
    val name: String,
    val form: StateForm,
    val description: Option[Description]
)

/**
 * @param sql
 *   the frames with their functions, or the windows
 * @param versions
 *   the versions of the description and of the entries
 */
final private[checkpoints] class Description(
    val sql: Seq[String],
    val versions: String,
    val writtenBy: String
)

/** Finds the form of the state of each operator. */
final private[checkpoints] class Operators(folder: CheckpointFolder, provider: String, nextBatch: Long) {
  import Operators._

  /** The name under which Spark records the operator. */
  def nameOf(id: Long): String = metadataOf(id).path("operatorInfo").path("operatorName").asText("unknown")

  private def metadataOf(id: Long) =
    if (folder.exists(s"state/$id/_metadata/metadata")) folder.entry(s"state/$id/_metadata/metadata").content
    else LogEntry.emptyObject

  /**
   * The operator with its form. Throws `CheckpointChanged` or [[CorruptState]] if its description or its schema is missing or
   * damaged, and [[InvalidCheckpoint]] if Slidewise does not know the kind of operator.
   */
  def of(id: Long): KnownOperator = {
    val name = nameOf(id)
    name match {
      case StreamingSlidingWindowExec.ShortName => window(id, name)
      case HoppingWindowStateExec.ShortName     => hopping(id, name)
      case keyed if Keyed.contains(keyed) => new KnownOperator(id, name, new KeyedForm(schemasOf(id)), None)
      case _                              =>
        throw new InvalidCheckpoint(
          "operator",
          s"$id ($name)",
          "is one of Spark's operators whose state Slidewise does not know",
          s"Allowed: windows, and ${Keyed.toSeq.sorted.mkString(", ")}"
        )
    }
  }

  private def schemasOf(id: Long): StoreSchemas = {
    val stores = metadataOf(id).path("stateStoreInfo").elements.asScala.toSeq
    if (stores.size != 1 || stores.head.path("storeName").asText != StateStoreId.DEFAULT_STORE_NAME)
      throw new CorruptState(
        s"the metadata of operator $id names ${stores.size} state stores, and not the one that it has"
      )
    if (!folder.exists(s"state/$id/0/_metadata/schema"))
      throw new CorruptState(s"the schema of operator $id is missing: state/$id/0/_metadata/schema")
    val place = StateStoreId(folder.states.toString, id, 0)
    new StateSchemaCompatibilityChecker(
      StateStoreProviderId(place, new java.util.UUID(0L, 0L)),
      folder.hadoopConf
    )
      .readSchemaFile() match {
      case List(only) =>
        new StoreSchemas(only.keySchema, only.valueSchema, stores.head.path("numColsPrefixKey").asInt)
      case several => throw new CorruptState(s"operator $id has ${several.size} schemas, and not one")
    }
  }

  private def window(id: Long, name: String): KnownOperator = {
    val (window, written) =
      new WindowMetadata(OperatorFolder(folder.states, id), folder.hadoopConf).recorded(nextBatch)
    val schemas = schemasOf(id)
    val keys = window.partitionBy.map(_.storedType)
    val isSame = namesAndTypes(schemas.key.fields) ==
      ("section" -> "int") +: ("bucket" -> "bigint") +: numbered("key", keys) :+ ("number" -> "bigint") &&
      namesAndTypes(schemas.value.fields) == namesAndTypes(StateCells.valueSchema.fields) &&
      schemas.prefixColumns == StateCells.PrefixColumns
    if (!isSame) throw new CorruptState(s"the schema of operator $id is not that of $window")
    val input = window.input.map(column => StoredTypes.of(column.storedType))
    val timeField = window.input.indexWhere(_.column.canonical == window.orderBy.canonical)
    if (timeField < 0) throw new CorruptState(s"the rows of operator $id have no column ${window.orderBy}")
    val form = new WindowForm(
      schemas,
      window.frames,
      new RowStructure(input),
      timeField,
      window.frames.map(frame => Option.when(frame.state == StoredFrame.Buffers)(buffersOf(frame)))
    )
    new KnownOperator(
      id,
      name,
      form,
      Some(describe(framesOf(window), "cells", StateCells.FormatVersion, written))
    )
  }

  private def framesOf(window: StoredWindow): Seq[String] = {
    val keys = window.partitionBy.map(_.column.sql)
    val partition = if (keys.isEmpty) "" else keys.mkString("PARTITION BY ", ", ", " ")
    window.frames.map { frame =>
      val functions = frame.functions.map(_.sql).distinct.mkString(", ")
      s"$functions OVER (${partition}ORDER BY ${window.orderBy} ${frame.frame}), ${window.mode} mode"
    }
  }

  /** The structure of the aggregation buffers of a frame; see `StateCodec`. */
  private def buffersOf(frame: StoredFrame): RowStructure = {
    val columns = frame.functions.flatMap(_.buffer) ++ frame.functions.flatMap(_.guard)
    val types = columns.map(column => StoredTypes.of(column.sqlType))
    new RowStructure(types.map(kept => if (StateTypes.isWide(kept)) BinaryType else kept))
  }

  private def hopping(id: Long, name: String): KnownOperator = {
    val (windows, written) =
      new HoppingMetadata(OperatorFolder(folder.states, id), folder.hadoopConf).recorded(nextBatch)
    val schemas = schemasOf(id)
    val key = namesAndTypes(schemas.key.fields)
    val isSame = key.dropRight(1) == numbered("key", windows.keyTypes) &&
      key.lastOption.exists(_._1 == "pane") &&
      namesAndTypes(schemas.value.fields) == numbered(
        "buffer",
        windows.functions.flatMap(_.buffer).map(_.sqlType)
      ) &&
      schemas.prefixColumns == windows.keyTypes.size
    if (!isSame) throw new CorruptState(s"the schema of operator $id is not that of $windows")
    val form = new PaneForm(schemas, isGrouped = provider == StateStores.Providers("rocksdb"))
    new KnownOperator(
      id,
      name,
      form,
      Some(describe(Seq(windows.toString), "panes", PaneStore.FormatVersion, written))
    )
  }

  private def describe(sql: Seq[String], entries: String, version: Int, written: String) =
    new Description(sql, s"description ${MetadataFile.Format}, $entries $version", written)
}

private[checkpoints] object Operators {

  /** Spark's operators with one store, which has an entry for each key and is partitioned by all columns of the key. */
  private val Keyed = Set("dedupe", "dedupeWithinWatermark", "stateStoreSave")

  private def namesAndTypes(fields: Array[StructField]): Seq[(String, String)] =
    fields.toSeq.map(field => field.name -> CanonicalForm.storedType(field.dataType))

  private def numbered(name: String, types: Seq[String]): Seq[(String, String)] =
    types.zipWithIndex.map { case (t, i) => s"$name$i" -> t }
}
