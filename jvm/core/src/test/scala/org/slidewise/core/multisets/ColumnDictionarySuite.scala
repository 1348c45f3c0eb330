package org.slidewise.core.multisets

import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll

import org.slidewise.core.kernels.{Column, Columns}

class ColumnDictionarySuite extends MultisetSuite {

  /** Values that a poor hash function would put into few slots. */
  private val alike: Gen[Long] =
    Gen.zip(Gen.oneOf(0, 8, 20, 32, 48, 52), Gen.choose(0L, 300L)).map { case (shift, n) => n << shift }

  private val columns: Gen[Column[Long]] = Gen.oneOf(
    Columns.longs,
    Gen.choose(0, 3000).flatMap(Gen.listOfN(_, Gen.some(alike))).map(cells => Column(cells.toVector)),
    Gen.listOfN(700, Gen.option(Arbitrary.arbitrary[Long])).map(cells => Column(cells.toVector))
  )

  private val reused = new ColumnDictionary

  private def check(column: Column[Long], dictionary: ColumnDictionary, expected: Vector[Long]): Unit = {
    assertEquals(dictionary.cardinality, expected.size)
    assertEquals(expected.indices.map(dictionary.value).toVector, expected)
    val codes = expected.zipWithIndex.toMap
    assertEquals(
      dictionary.codes.take(column.size).toVector,
      column.cells.map(_.fold(-1)(codes))
    )
  }

  property("codes in the order of first occurrence") {
    forAll(columns) { column =>
      for (dictionary <- Seq(reused, new ColumnDictionary); sayAllValid <- Seq(true, false)) {
        dictionary.encode(longs(column), column.valid(sayAllValid), column.size)
        check(column, dictionary, column.cells.flatten.distinct)
      }
    }
  }

  property("codes in the order of values") {
    forAll(columns) { column =>
      for (dictionary <- Seq(reused, new ColumnDictionary)) {
        dictionary.encodeInOrder(longs(column), column.valid(sayAllValid = true), column.size)
        check(column, dictionary, column.cells.flatten.distinct.sorted)
      }
    }
  }

  test("the values and the validity are not changed, and rows past the size are not read") {
    val values = Array(5L, 3L, 5L, 1L, 99L)
    val valid = Array(0xbL)
    new ColumnDictionary().encodeInOrder(values, valid, 4)
    assertEquals(values.toSeq, Seq(5L, 3L, 5L, 1L, 99L))
    assertEquals(valid.toSeq, Seq(0xbL))
  }

  test("arguments that do not fit are refused") {
    val dictionary = new ColumnDictionary
    intercept[IllegalArgumentException](dictionary.encode(new Array(3), null, 4))
    intercept[IllegalArgumentException](dictionary.encode(new Array(3), null, -1))
    intercept[IllegalArgumentException](dictionary.encodeInOrder(new Array(65), new Array(1), 65))
  }

  test("after a cancelled sort the next column is encoded as ever") {
    var cancelled = true
    val dictionary =
      new ColumnDictionary(() => if (cancelled) throw new IllegalStateException("cancelled"))
    val column = Column((0 until 500).map(i => Some(i * 7919L % 501)).toVector)
    intercept[IllegalStateException](dictionary.encodeInOrder(longs(column), null, column.size))
    cancelled = false
    dictionary.encodeInOrder(longs(column), null, column.size)
    check(column, dictionary, column.cells.flatten.sorted)
  }
}
