package org.slidewise.spark.execution.streams

import java.io.IOException

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.shims.SparkStreaming.CheckpointFileManager

/**
 * A JSON object in a file of a checkpoint. A write is atomic and never replaces a file. Object stores delete an object before they
 * replace it, and some file systems keep the old file without an error.
 */
final private[streams] case class JsonFile(path: Path, hadoopConf: Configuration) {
  private lazy val files = CheckpointFileManager.create(path.getParent, hadoopConf)

  def exists: Boolean = files.exists(path)

  def write(content: ObjectNode): Unit = {
    files.mkdirs(path.getParent)
    val out = files.createAtomic(path, overwriteIfPossible = false)
    try {
      out.write(content.toString.getBytes(UTF_8))
      out.close()
    } catch { case e: Throwable => out.cancel(); throw e }
  }

  /** Throws [[CorruptState]] if the file is no JSON object with a format, or if `content` throws an IllegalArgumentException. */
  def read[T](content: JsonNode => T): T = {
    val bytes = contentOf()
    val node =
      try JsonFile.Mapper.readTree(bytes)
      catch {
        case e: JsonProcessingException => throw new CorruptState(s"$path: ${e.getOriginalMessage}")
        case e: IOException             => throw new CorruptState(s"$path: ${e.getMessage}")
      }
    if (node == null || !node.path("format").isInt) throw new CorruptState(s"$path names no format")
    try content(node)
    catch { case e: IllegalArgumentException => throw new CorruptState(s"$path: ${e.getMessage}") }
  }

  private def contentOf(): Array[Byte] = {
    val in = files.open(path)
    try {
      val read = in.readNBytes(JsonFile.MostBytes)
      if (read.length == JsonFile.MostBytes) throw new CorruptState(s"$path has more than 16 MiB")
      read
    } finally in.close()
  }
}

private[streams] object JsonFile {
  private val Mapper = new ObjectMapper

  /** The size in bytes that a file must stay below. */
  private val MostBytes = 16 << 20

  def begin(format: Int): ObjectNode = Mapper.createObjectNode().put("format", format)
}
