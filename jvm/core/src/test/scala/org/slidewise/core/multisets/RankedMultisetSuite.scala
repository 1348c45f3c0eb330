package org.slidewise.core.multisets

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import org.slidewise.core.HeldBytes

class RankedMultisetSuite extends MultisetSuite {

  private val values: Gen[Long] =
    Gen.oneOf(Gen.choose(-20L, 20L), Gen.long, Gen.oneOf(Long.MinValue, Long.MaxValue, 0L))

  /** Values to add, each with how often; a step without a value removes the oldest addition. */
  private val steps: Gen[List[Option[(Long, Long)]]] =
    Gen.choose(1, 4).flatMap { often =>
      Gen.listOf(
        Gen.frequency(often -> Gen.zip(values, Gen.choose(1L, 3L)).map(Option(_)), 1 -> Gen.const(None))
      )
    }

  private val multiset = new RankedMultiset

  property("each rank has the element of the sorted values") {
    forAll(steps) { steps =>
      multiset.clear()
      val elements = mutable.Queue.empty[(Long, Long)]
      steps.foreach {
        case Some((value, times)) =>
          multiset.add(value, times)
          elements.enqueue(value -> times)
        case None =>
          elements.removeHeadOption().foreach { case (value, times) => multiset.remove(value, times) }
      }
      val expected = elements.flatMap { case (value, times) => Seq.fill(times.toInt)(value) }.sorted
      assertEquals(multiset.size, expected.size.toLong)
      assertEquals(expected.indices.map(rank => multiset.valueAt(rank.toLong)), expected.toIndexedSeq)
    }
  }

  test("a multiset of many values in order is no list") {
    val multiset = new RankedMultiset
    val count = 1 << 17
    for (value <- 0 until count) multiset.add(value.toLong, 1)
    assertEquals((0 until count).map(rank => multiset.valueAt(rank.toLong)), (0L until count.toLong))
    for (value <- 0 until count by 2) multiset.remove(value.toLong, 1)
    assertEquals(multiset.size, count / 2L)
    assertEquals(multiset.valueAt(count / 4L), count / 2L + 1)
  }

  test("nodes of values that have left are used again") {
    val multiset = new RankedMultiset
    for (value <- 0L until 100000L) {
      multiset.add(value, 2)
      if (value >= 10) multiset.remove(value - 10, 2)
    }
    assertEquals(multiset.room, 15)
  }

  test("it has the bytes that it says") {
    val multiset = new RankedMultiset
    for (value <- 0L until 100000L) multiset.add(value, 1)
    val bytes = HeldBytes(multiset)
    val said = RankedMultiset.BytesAValue * multiset.room
    assert(math.abs(bytes - said) < 1000, s"$bytes bytes, and $said by its own account")
  }

  test("it is full before its room doubles, and after a value has left no more") {
    val multiset = new RankedMultiset
    for (value <- 0L until 15L) {
      assert(!multiset.isFull)
      multiset.add(value, 1)
    }
    assert(multiset.isFull)
    multiset.add(3L, 1)
    assertEquals(multiset.room, 15)
    multiset.remove(4L, 1)
    assert(!multiset.isFull)
    multiset.add(4L, 1)
    multiset.add(15L, 1)
    assertEquals(multiset.room, 31)
  }

  test("arguments out of range are named") {
    val multiset = new RankedMultiset
    multiset.add(7L, 2)
    def said(call: => Unit): String = intercept[IllegalArgumentException](call).getMessage
    assertEquals(
      said(multiset.remove(7L, 3)),
      "requirement failed: times must be from 1 to 2 for the value 7, but is 3"
    )
    assertEquals(
      said(multiset.remove(8L, 1)),
      "requirement failed: times must be from 1 to 0 for the value 8, but is 1"
    )
    assertEquals(said(multiset.add(8L, 0)), "requirement failed: times must be 1 or more, but is 0")
    assertEquals(said(multiset.valueAt(2)), "requirement failed: rank must be from 0 until 2, but is 2")
  }
}
