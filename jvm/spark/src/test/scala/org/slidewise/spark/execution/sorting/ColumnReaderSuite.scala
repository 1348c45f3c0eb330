package org.slidewise.spark.execution.sorting

import org.apache.spark.TaskKilledException
import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, LongType}

import org.slidewise.spark.{LogMessages, SparkSuite}
import org.slidewise.spark.errors.MessageParameters

class ColumnReaderSuite extends SparkSuite {
  import ColumnReaderSuite._

  private val time = AttributeReference("t", LongType)()
  private val order = new SortKey(SortOrder(time, Ascending))

  private def read(reader: ColumnReader, columns: LongColumns, rows: Int): Unit = {
    val project = UnsafeProjection.create(Array[DataType](LongType))
    for (i <- 0 until rows) reader.read(project(InternalRow(i.toLong)), columns, i)
  }

  test("an input that fails is logged once, and keys are read on") {
    val columns = new LongColumns(2)
    columns.resize(10)
    val reader = new ColumnReader(
      Seq(order),
      Seq(InputColumn(FailsAt(3, () => new ArithmeticException("too large")))),
      Seq(time),
      _ => true,
      Seq(0, 1)
    )
    val events = LogMessages.of(classOf[ColumnReader])(read(reader, columns, 10))
    assert(reader.inputsFailed)
    assertEquals((0 until 10).map(columns(0)(_) ^ order.flip), (0 until 10).map(_.toLong))
    assertEquals(columns(1).take(3).toSeq, Seq(0L, 1L, 2L))
    assertEquals(events.size, 1)
    assert(events.head.contains("row-wise evaluation") && events.head.contains("too large"), events.head)
  }

  for (
    error <- Seq[() => Throwable](
      () => new TaskKilledException("killed"),
      () => new InterruptedException,
      () =>
        new SparkOutOfMemoryError(
          "UNABLE_TO_ACQUIRE_MEMORY",
          MessageParameters("requestedBytes" -> "1", "receivedBytes" -> "0")
        )
    )
  ) {
    val name = error().getClass.getSimpleName
    test(s"$name is not swallowed") {
      val columns = new LongColumns(2)
      columns.resize(10)
      val reader =
        new ColumnReader(Seq(order), Seq(InputColumn(FailsAt(3, error))), Seq(time), _ => true, Seq(0, 1))
      val thrown =
        try {
          read(reader, columns, 10)
          null
        } catch { case e: Throwable => e }
      assertEquals(Option(thrown).map(_.getClass.getSimpleName), Some(name))
      assert(!reader.inputsFailed)
    }
  }
}

object ColumnReaderSuite {

  /** The number of the row, until one fails. */
  final private case class FailsAt(row: Int, error: () => Throwable)
      extends LeafExpression
      with CodegenFallback {
    private[this] var rows = -1L
    override def dataType: DataType = LongType
    override def nullable: Boolean = false
    override def eval(input: InternalRow): Any = {
      rows += 1
      if (rows == row) throw error()
      rows
    }
  }
}
