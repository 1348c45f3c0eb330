package org.slidewise.core.sorting

import munit.ScalaCheckSuite
import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll

class RadixSortSuite extends ScalaCheckSuite {

  private def keys(key: Gen[Long]): Gen[Array[Long]] =
    Gen.oneOf(0, 1, 2, 20, 30, 300, 9000).flatMap(n => Gen.containerOfN[Array, Long](n, key))

  private val someKeys: Gen[Array[Long]] = Gen.oneOf(
    keys(Gen.choose(-3L, 3L)),
    keys(Gen.choose(0L, 100000L)),
    keys(Arbitrary.arbitrary[Long]),
    keys(Gen.oneOf(Long.MinValue, Long.MaxValue, 0L, 1L << 62, -1L)),
    keys(Gen.choose(0L, 4L)).map(_.sorted)
  )

  private val sort = new RadixSort

  property("as a stable comparison sort has it, and only in the given range") {
    forAll(someKeys, Gen.choose(0, 5), Gen.choose(0, 5)) { (keys, before, after) =>
      val from = math.min(before, keys.length)
      val until = math.max(from, keys.length - after)
      val expected = (from until until).sortWith { (a, b) =>
        val byKey = java.lang.Long.compareUnsigned(keys(a), keys(b))
        byKey < 0 || byKey == 0 && a < b
      }
      val sorted = keys.clone
      val rows = Array.range(0, keys.length)
      sort.sort(sorted, rows, from, until)
      assertEquals(rows.toSeq, (0 until from) ++ expected ++ (until until keys.length))
      assertEquals(sorted.toSeq, rows.toSeq.map(keys(_)))
    }
  }

  property("parting keeps the order on both sides") {
    forAll(someKeys, Gen.choose(1, 9)) { (keys, one) =>
      val isFirst: RowPredicate = row => row % one == 0
      val rows = Array.range(0, keys.length).reverse
      val moved = keys.reverse
      val (first, others) = rows.toSeq.partition(isFirst(_))
      val place = sort.partition(moved, rows, 0, keys.length, isFirst)
      assertEquals(place, first.size)
      assertEquals(rows.toSeq, first ++ others)
      assertEquals(moved.toSeq, rows.toSeq.map(keys(_)))
    }
  }

  test("comes to a checkpoint in each pass after so many rows, and ends when one throws") {
    val n = 3 * RadixSort.RowsBetweenCheckpoints
    def sort(checkpoint: Runnable) = {
      val keys = Array.tabulate(n)(i => i * 0x9e3779b97f4a7c15L & 0x3fffffL)
      new RadixSort(checkpoint).sort(keys, Array.range(0, n), 0, n)
    }
    var calls = 0
    sort(() => calls += 1)
    assertEquals(calls, 2 * 2 * 3) // two passes, which count and then move, in three steps
    for (last <- 1 to calls) {
      var seen = 0
      intercept[IllegalStateException](sort { () =>
        seen += 1
        if (seen == last) throw new IllegalStateException("cancelled")
      })
      assertEquals(seen, last)
    }
  }
}
