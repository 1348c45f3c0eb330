package org.slidewise.spark.execution.columns

import scala.util.Random

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.types._

import org.slidewise.spark.execution.blocks.RandomRows

class FieldVectorSuite extends FunSuite {

  test("values are read when they are asked for, and once until others are awaited") {
    var loads = 0
    val source: FieldSource = vector => {
      loads += 1
      vector.words(0) = loads.toLong
      if (loads == 1) vector.setNull(1)
    }
    val vector = new FieldVector(LongType, 2)
    vector.await(source)
    assertEquals(loads, 0)
    assertEquals(
      (vector.getLong(0), vector.isNullAt(1), vector.hasNull, vector.numNulls),
      (1L, true, true, 1)
    )
    assertEquals(loads, 1)
    vector.await(source)
    assertEquals(loads, 1)
    assertEquals((vector.isNullAt(1), vector.hasNull, vector.getLong(0)), (false, false, 2L))
    assertEquals(loads, 2)
  }

  test("batches of rows have the values of each type that a vector holds, and their nulls") {
    for (seed <- 0 until 40) {
      val random = new Random(seed)
      val types = RandomRows.Types.filter(FieldVector.holds)
      val rows = RandomRows.rows(types.toArray, random, random.nextInt(3000))
      val whole = UnsafeProjection.create(types.toArray)
      val found = new RowBatches(rows.iterator, types).flatMap { batch =>
        assert(batch.numRows <= RowBatches.MostRows, batch.numRows)
        Iterator.range(0, batch.numRows).map(i => whole(batch.getRow(i)).copy())
      }.toVector
      assertEquals(found, rows.map(_.copy()).toVector, s"seed $seed")
    }
  }

  test("a batch ends where its rows are large, and a larger row is a batch of its own") {
    val types = Seq(StringType)
    val whole = UnsafeProjection.create(types.toArray[DataType])
    val text = org.apache.spark.unsafe.types.UTF8String.fromString("x" * (RowBatches.FewBytes / 3))
    val large = org.apache.spark.unsafe.types.UTF8String.fromString("y" * (RowBatches.FewBytes * 2))
    val rows = Iterator(text, text, text, text, large, text).map(t => whole(InternalRow(t)): InternalRow)
    assertEquals(new RowBatches(rows, types).map(b => b.numRows).toList, List(3, 2, 1))
  }

  test("a vector without nested values says so") {
    val error = intercept[UnsupportedOperationException](new FieldVector(LongType, 1).getArray(0))
    assertEquals(error.getMessage, "a vector of bigint has no nested values")
  }
}
