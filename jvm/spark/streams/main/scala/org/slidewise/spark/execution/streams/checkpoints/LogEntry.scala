package org.slidewise.spark.execution.streams.checkpoints

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import org.slidewise.spark.errors.CorruptState

/**
 * A file in which Spark logs a batch or describes a state: a line with a version, a line with a JSON object, and further lines,
 * which are kept as they are.
 *
 * @param rest
 *   the text after the JSON object, with its line break
 */
final private[checkpoints] case class LogEntry(version: String, content: ObjectNode, rest: String) {

  def text: String = s"$version\n$content$rest"

  /** The settings that the entry records. */
  def settings: Map[String, String] =
    content.path("conf").properties.asScala.map(field => field.getKey -> field.getValue.asText).toMap

  /** This entry with changed settings. */
  def withSettings(changed: Map[String, String]): LogEntry = {
    val copied = content.deepCopy()
    val conf = copied.withObject("/conf")
    changed.foreach { case (name, value) => conf.put(name, value) }
    copy(content = copied)
  }

  /** The identifiers of the stores of an operator, by partition; none if the checkpoint has no such identifiers. */
  def storeIds(operator: Long): Option[Seq[String]] = {
    val partitions = content.path("stateUniqueIds").path(operator.toString)
    Option.when(partitions.isArray)(partitions.elements.asScala.map(_.path(0).asText).toSeq)
  }
}

private[checkpoints] object LogEntry {
  private val Mapper = new ObjectMapper

  def emptyObject: ObjectNode = Mapper.createObjectNode()

  def objectIn(text: String, file: => String): ObjectNode =
    try
      Mapper.readTree(text) match {
        case node: ObjectNode => node
        case _                => throw new CorruptState(s"$file has no JSON object")
      }
    catch { case e: JsonProcessingException => throw new CorruptState(s"$file: ${e.getOriginalMessage}") }

  def of(text: String, file: => String): LogEntry = text.split("\n", 3) match {
    case Array(version, json, more @ _*) if version.matches("v\\d{1,9}") =>
      LogEntry(version, objectIn(json, file), more.map("\n" + _).mkString)
    case _ => throw new CorruptState(s"$file does not begin with a version and a JSON object")
  }
}
