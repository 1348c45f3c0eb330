package org.slidewise.spark.execution.streams

import java.io.OutputStreamWriter
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.json.{JacksonGenerator, JSONOptions}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{MapType, StringType}

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
   * The column in a form that Spark can read back from JSON. JSON maps have only strings as keys, so other maps become arrays of
   * entries.
   */
  private def asJson(column: Attribute): NamedExpression = column.dataType match {
    case MapType(key, _, _) if !key.isInstanceOf[StringType] => Alias(MapEntries(column), column.name)()
    case _                                                   => column
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
      private[this] val readable = input.map(asJson)
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
