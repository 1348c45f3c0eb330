package org.slidewise.spark.execution.streams

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.config.BuiltFor
import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.shims.SparkStreaming.CheckpointFileManager

/**
 * A JSON file in the folder `_slidewise` beside the state of an operator, which describes the state.
 *
 * @param operatorPath
 *   the operator's folder in the checkpoint
 * @param format
 *   the latest version of the file's format that this code knows
 * @param entries
 *   the field with the version of the state's entries, and the latest one that this code knows
 */
final private[streams] class MetadataFile(
    operatorPath: Path,
    name: String,
    format: Int,
    entries: (String, Int),
    hadoopConf: Configuration
) {
  private[this] val directory = new Path(operatorPath, "_slidewise")
  private[this] val file = new Path(directory, name)
  private[this] val files = CheckpointFileManager.create(operatorPath, hadoopConf)

  def exists: Boolean = files.exists(file)

  /** Whether the operator has a folder in the checkpoint. */
  def operatorExists: Boolean = files.exists(operatorPath)

  /** Writes the file whole or not at all. */
  def write(content: ObjectNode, overwrite: Boolean): Unit = {
    if (!overwrite) files.mkdirs(directory)
    val out = files.createAtomic(file, overwriteIfPossible = overwrite)
    try {
      out.write(content.toString.getBytes(UTF_8))
      out.close()
    } catch { case e: Throwable => out.cancel(); throw e }
  }

  /**
   * Reads the file. Throws [[CheckpointChanged]] if its format or that of the entries is later than this code knows, and
   * [[CorruptState]] if it is no JSON object with a format or if `content` throws an IllegalArgumentException.
   */
  def read[T](content: JsonNode => T): T = {
    val stored = bytes()
    val node =
      try MetadataFile.Mapper.readTree(stored)
      catch {
        case e: JsonProcessingException => throw new CorruptState(s"$file: ${e.getOriginalMessage}")
        case e: IOException             => throw new CorruptState(s"$file: ${e.getMessage}")
      }
    if (node == null || !node.path("format").isInt || node.get("format").asInt < 1)
      throw new CorruptState(s"$file names no format")
    refuseLater(node, "is in format", node.get("format").asInt, format)
    val (field, latest) = entries
    refuseLater(node, s"keeps $field in format", node.path(field).asInt(latest), latest)
    try content(node)
    catch { case e: IllegalArgumentException => throw new CorruptState(s"$file: ${e.getMessage}") }
  }

  private def refuseLater(node: JsonNode, what: String, written: Int, latest: Int): Unit =
    if (written > latest)
      throw new CheckpointChanged(
        operatorPath,
        s"$what $written, and this version of Slidewise knows formats up to $latest",
        s"Use the version of Slidewise that wrote it${versionIn(node)}, or a later one"
      )

  private def bytes(): Array[Byte] = {
    val in = files.open(file)
    try {
      val read = in.readNBytes(MetadataFile.MostBytes)
      if (read.length == MetadataFile.MostBytes) throw new CorruptState(s"$file has more than 16 MiB")
      read
    } finally in.close()
  }

  private def versionIn(node: JsonNode) = Option(node.get("slidewise")).fold("")(v => s", ${v.asText}")

  /** A new file's content, with the versions that write it. */
  def begin(sparkVersion: String): ObjectNode = MetadataFile.Mapper
    .createObjectNode()
    .put("format", format)
    .put("slidewise", BuiltFor.VERSION)
    .put("spark", sparkVersion)
    .put(entries._1, entries._2)
}

/** The parts that the files of all operators have. */
private[streams] object MetadataFile {
  private val Mapper = new ObjectMapper

  /** The size that no file reaches. */
  private val MostBytes = 16 << 20

  def putColumns(node: ObjectNode, field: String, columns: Seq[StoredColumn]): Unit = {
    val array = node.putArray(field)
    columns.foreach(c => array.addObject().put("name", c.name).put("type", c.sqlType))
  }

  def columnsFrom(node: JsonNode): Seq[StoredColumn] =
    elements(node).map(c => StoredColumn(c.required("name").asText, c.required("type").asText))

  def putFunctions(node: ObjectNode, functions: Seq[StoredFunction]): Unit = {
    val array = node.putArray("functions")
    functions.foreach { f =>
      val function = array.addObject().put("sql", f.sql).put("class", f.implementation)
      putColumns(function, "buffer", f.buffer)
      f.objectType.foreach(function.put("object", _))
      if (f.guard.nonEmpty) putColumns(function, "guard", f.guard)
    }
  }

  def functionsFrom(node: JsonNode): Seq[StoredFunction] = elements(node.required("functions")).map { f =>
    StoredFunction(
      f.required("sql").asText,
      f.required("class").asText,
      columnsFrom(f.required("buffer")),
      Option(f.get("object")).map(_.asText),
      columnsFrom(f.path("guard"))
    )
  }

  def elements(node: JsonNode): Seq[JsonNode] = node.elements.asScala.toSeq
}
