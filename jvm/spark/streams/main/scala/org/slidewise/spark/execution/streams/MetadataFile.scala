package org.slidewise.spark.execution.streams

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration

import org.slidewise.spark.config.BuiltFor
import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.plan.Identity

/**
 * The JSON file that describes the state of an operator; see [[OperatorFolder]].
 *
 * @param operator
 *   the name of the operator that keeps the state
 * @param entries
 *   the field with the version of the state's entries, and the version that this code knows
 */
final private[streams] class MetadataFile(
    folder: OperatorFolder,
    operator: String,
    entries: (String, Int),
    hadoopConf: Configuration
) {
  private[this] val file = JsonFile(folder.description, hadoopConf)

  def exists: Boolean = file.exists

  def write(content: ObjectNode): Unit = file.write(content)

  /**
   * Reads the file. Throws [[CheckpointChanged]] if it is missing, belongs to another operator, or has another format than this
   * code knows, and [[CorruptState]] if it is no JSON object with a format or if `content` throws an IllegalArgumentException.
   */
  def read[T](content: JsonNode => T): T = {
    if (!exists)
      throw new CheckpointChanged(
        folder.state,
        s"has committed batches, and its description ${file.path} is missing, which says which query it belongs to",
        "Restore this file from a copy of the checkpoint. Or start the query with another checkpointLocation: it then begins with " +
          "the first rows that its source still has"
      )
    file.read { node =>
      refuseOther(node, "is in format", node.get("format").asInt, MetadataFile.Format)
      val began = node.path("operator").asText
      if (began != operator)
        throw new CheckpointChanged(
          folder.state,
          s"was begun by the operator $began, and this query would continue it with $operator",
          "Continue with the query that has begun it, or start this one with another checkpointLocation"
        )
      val (field, known) = entries
      if (!node.path(field).isInt) throw new CorruptState(s"${file.path} names no format of $field")
      refuseOther(node, s"keeps $field in format", node.get(field).asInt, known)
      content(node)
    }
  }

  private def refuseOther(node: JsonNode, what: String, written: Int, known: Int): Unit =
    if (written != known)
      throw new CheckpointChanged(
        folder.state,
        s"$what $written, and this version of Slidewise knows format $known",
        s"Use the version of Slidewise that wrote it${versionIn(node)}"
      )

  private def versionIn(node: JsonNode) = Option(node.get("slidewise")).fold("")(v => s", ${v.asText}")

  /** A new file's content, with the versions that write it. */
  def begin(sparkVersion: String): ObjectNode = JsonFile
    .begin(MetadataFile.Format)
    .put("slidewise", BuiltFor.VERSION)
    .put("spark", sparkVersion)
    .put("operator", operator)
    .put(entries._1, entries._2)
}

/** The parts that the files of all operators have. */
private[streams] object MetadataFile {

  /** The version of the file's format. */
  val Format = 3

  def put(node: ObjectNode, identity: Identity): ObjectNode =
    node.put("sql", identity.sql).put("identity", identity.canonical)

  def identityFrom(node: JsonNode): Identity =
    Identity(node.required("identity").asText, node.required("sql").asText)

  def putInputs(node: ObjectNode, field: String, columns: Seq[StoredInput]): Unit = {
    val array = node.putArray(field)
    columns.foreach(c => put(array.addObject(), c.column).put("type", c.storedType))
  }

  def inputsFrom(node: JsonNode): Seq[StoredInput] =
    elements(node).map(c => StoredInput(identityFrom(c), c.required("type").asText))

  private def putColumns(node: ObjectNode, field: String, columns: Seq[StoredColumn]): Unit = {
    val array = node.putArray(field)
    columns.foreach(c => array.addObject().put("name", c.name).put("type", c.sqlType))
  }

  private def columnsFrom(node: JsonNode): Seq[StoredColumn] =
    elements(node).map(c => StoredColumn(c.required("name").asText, c.required("type").asText))

  def putFunctions(node: ObjectNode, functions: Seq[StoredFunction]): Unit = {
    val array = node.putArray("functions")
    functions.foreach { f =>
      val function = put(array.addObject(), f.function).put("part", f.part).put("class", f.implementation)
      putColumns(function, "buffer", f.buffer)
      f.objectType.foreach(function.put("object", _))
      if (f.guard.nonEmpty) putColumns(function, "guard", f.guard)
    }
  }

  def functionsFrom(node: JsonNode): Seq[StoredFunction] = elements(node.required("functions")).map { f =>
    StoredFunction(
      identityFrom(f),
      f.required("part").asInt,
      f.required("class").asText,
      columnsFrom(f.required("buffer")),
      Option(f.get("object")).map(_.asText),
      columnsFrom(f.path("guard"))
    )
  }

  def elements(node: JsonNode): Seq[JsonNode] = node.elements.asScala.toSeq
}
