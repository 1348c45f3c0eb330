package org.slidewise.spark.execution.columns

import munit.ScalaCheckSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import org.slidewise.spark.plan.StateTypes

class WideDecimalsSuite extends ScalaCheckSuite {
  private val kind = DecimalType(25, 3)
  private val projection = UnsafeProjection.create(Array[DataType](kind))

  /** Of each number of bytes, and both signs. */
  private val values = Gen.oneOf(
    Gen.choose(0, 63).flatMap(bits => Gen.choose(Long.MinValue >> bits, Long.MaxValue >> bits)),
    Gen.oneOf(0L, -1L, 127L, 128L, -128L, -129L, Long.MinValue, Long.MaxValue)
  )

  private def row(write: (AnyRef, Long, Int) => Long): UnsafeRow = {
    val fixed = UnsafeRow.calculateBitSetWidthInBytes(1) + 8
    val row = new UnsafeRow(1)
    row.pointTo(Array.fill[Byte](fixed + WideDecimals.Bytes)(7), fixed + WideDecimals.Bytes)
    Platform.putLong(row.getBaseObject, row.getBaseOffset, 0L)
    row.setLong(0, write(row.getBaseObject, row.getBaseOffset, fixed))
    row
  }

  property("rows have the bytes that Spark writes") {
    forAll(values) { unscaled =>
      val written = row(WideDecimals.write(unscaled, _, _, _))
      assertEquals(written, projection(InternalRow(Decimal(unscaled, 25, 3))))
      assertEquals(written.getDecimal(0, 25, 3), Decimal(unscaled, 25, 3))
    }
  }

  test("a null has the bytes that Spark writes") {
    val word = row(WideDecimals.clear(_, _, _))
    word.setNotNullAt(0)
    Platform.putLong(word.getBaseObject, word.getBaseOffset, 1L)
    assertEquals(word, projection(InternalRow(null)))
  }

  property("a vector without addresses has unscaled values") {
    forAll(values) { unscaled =>
      val vector = new FieldVector(kind, 1)
      vector.words(0) = unscaled
      assertEquals(vector.getDecimal(0, 25, 3), Decimal(unscaled, 25, 3))
    }
  }

  test("decimals of more than 18 digits are wide") {
    assertEquals(Seq(18, 19, 38).map(p => StateTypes.isWide(DecimalType(p, 2))), Seq(false, true, true))
    assert(!StateTypes.isWide(LongType))
  }
}
