package org.slidewise.spark.execution.blocks

import munit.FunSuite
import org.apache.spark.sql.types.{Decimal, LongType}
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarBatch, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

/** A reader that loads each batch into the same vector, as soon as it is asked whether there is one. */
class BatchesInTurnSuite extends FunSuite {
  private val Rows = 3

  private def reader(batches: Int): Iterator[ColumnarBatch] = new Iterator[ColumnarBatch] {
    private val vector = new OpenVector
    private val batch = new ColumnarBatch(Array(vector), Rows)
    private var loaded = 0

    override def hasNext: Boolean = loaded < batches && {
      if (vector.first < loaded * Rows) {
        vector.first = loaded * Rows
        vector.isOpen = true
      }
      true
    }

    override def next(): ColumnarBatch = {
      assert(hasNext)
      loaded += 1
      batch
    }
  }

  test("a batch is freed before the next one is loaded") {
    val inTurn = new BatchesInTurn(reader(4))
    val found = Iterator.continually(inTurn.advance()).takeWhile(identity).flatMap { _ =>
      (0 until Rows).map(inTurn.batch.column(0).getLong)
    }
    assertEquals(found.toSeq, (0L until 4L * Rows))
  }

  test("the rows of blocks are those of the batches") {
    val rows = new BatchRows(reader(4), new BlockLayout(Array(LongType)))
    assertEquals(rows.map(_.getLong(0)).toSeq, (0L until 4L * Rows))
  }
}

/** A vector whose values cannot be read once it is closed. */
final private class OpenVector extends ColumnVector(LongType) {
  var first = -1
  var isOpen = false

  override def close(): Unit = isOpen = false
  override def hasNull: Boolean = false
  override def numNulls: Int = 0
  override def isNullAt(row: Int): Boolean = false

  override def getLong(row: Int): Long = {
    if (!isOpen) throw new IllegalStateException("the vector is closed")
    (first + row).toLong
  }

  override def getBoolean(row: Int): Boolean = fail()
  override def getByte(row: Int): Byte = fail()
  override def getShort(row: Int): Short = fail()
  override def getInt(row: Int): Int = fail()
  override def getFloat(row: Int): Float = fail()
  override def getDouble(row: Int): Double = fail()
  override def getArray(row: Int): ColumnarArray = fail()
  override def getMap(row: Int): ColumnarMap = fail()
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = fail()
  override def getUTF8String(row: Int): UTF8String = fail()
  override def getBinary(row: Int): Array[Byte] = fail()
  override def getChild(column: Int): ColumnVector = fail()

  private def fail(): Nothing = throw new UnsupportedOperationException("a vector of longs")
}
