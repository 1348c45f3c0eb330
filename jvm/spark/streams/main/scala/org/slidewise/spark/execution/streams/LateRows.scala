package org.slidewise.spark.execution.streams

import java.io.OutputStreamWriter
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.json.{JacksonGenerator, JSONOptions}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType}

import org.slidewise.spark.shims.SparkStreaming.CheckpointFileManager

/** Receives late rows. */
private[streams] trait LateRows {
  def add(row: InternalRow): Unit

  /** Makes the added rows durable. The caller calls it before it commits the batch's state. */
  def commit(): Unit

  /** Discards rows that have been added and not committed. */
  def abort(): Unit
}

private[streams] object LateRows {

  private val Formats = Map(
    "timestampFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
  )

  /**
   * The value in a form that Spark can read back from JSON. JSON maps have only strings as keys, so other maps become arrays of
   * entries, wherever they are in a value.
   */
  private def asJson(value: Expression): Expression = value.dataType match {
    case kind if !holdsSuch(kind)         => value
    case ArrayType(element, containsNull) =>
      val each = NamedLambdaVariable("x", element, containsNull)
      ArrayTransform(value, LambdaFunction(asJson(each), Seq(each)))
    case struct: StructType =>
      val fields = struct.fieldNames.toSeq.zipWithIndex.flatMap { case (name, at) =>
        Seq(Literal(name), asJson(GetStructField(value, at, Some(name))))
      }
      val read = CreateNamedStruct(fields)
      if (value.nullable) If(IsNull(value), Literal.create(null, read.dataType), read) else read
    case map: MapType if hasOtherKeys(map) => asJson(MapEntries(value))
    case map: MapType                      =>
      val key = NamedLambdaVariable("k", map.keyType, nullable = false)
      val each = NamedLambdaVariable("v", map.valueType, map.valueContainsNull)
      TransformValues(value, LambdaFunction(asJson(each), Seq(key, each)))
    case _ => value
  }

  private def hasOtherKeys(map: MapType): Boolean = !map.keyType.isInstanceOf[StringType]

  /** Whether the type is, or has within it, a map with other keys. */
  private def holdsSuch(dataType: DataType): Boolean = dataType match {
    case map: MapType          => hasOtherKeys(map) || holdsSuch(map.valueType)
    case ArrayType(element, _) => holdsSuch(element)
    case struct: StructType    => struct.exists(field => holdsSuch(field.dataType))
    case _                     => false
  }

  object Dropped extends LateRows {
    override def add(row: InternalRow): Unit = ()
    override def commit(): Unit = ()
    override def abort(): Unit = ()
  }

  /**
   * Writes rows as lines of JSON to one file for each task and batch. A second run of the batch replaces the file, so that each
   * row is there once. Times are in UTC, to the microsecond, since offsets of zones may have seconds, which JSON readers drop.
   */
  final class InFile(file: Path, input: Seq[Attribute], hadoopConf: Configuration) extends LateRows {
    private[this] var open: Option[Lines] = None

    final private class Lines {
      private[this] val files = CheckpointFileManager.create(file.getParent, hadoopConf)
      files.mkdirs(file.getParent)
      private[this] val stream = files.createAtomic(file, overwriteIfPossible = true)
      private[this] val writer = new OutputStreamWriter(stream, UTF_8)
      private[this] val readable = input.map { column =>
        asJson(column) match {
          case same: Attribute => same
          case other           => Alias(other, column.name)()
        }
      }
      private[this] val project =
        if (readable == input) None else Some(UnsafeProjection.create(readable, input))
      private[this] val json =
        new JacksonGenerator(
          DataTypeUtils.fromAttributes(readable.map(_.toAttribute)),
          writer,
          new JSONOptions(Formats, "UTC")
        )

      def add(row: InternalRow): Unit = {
        json.write(project.fold(row)(_(row)))
        json.writeLineEnding()
      }

      def commit(): Unit = {
        json.flush()
        writer.close()
      }

      def abort(): Unit = stream.cancel()
    }

    override def add(row: InternalRow): Unit = {
      if (open.isEmpty) open = Some(new Lines)
      open.get.add(row)
    }

    override def commit(): Unit = {
      open.foreach(_.commit())
      open = None
    }

    override def abort(): Unit = {
      open.foreach(_.abort())
      open = None
    }
  }
}
