package org.slidewise.core.sorting

import munit.ScalaCheckSuite
import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll

class RadixSortSuite extends ScalaCheckSuite {

  private def keys(key: Gen[Long]): Gen[Array[Long]] =
    Gen.oneOf(0, 1, 2, 20, 30, 300, 600, 9000).flatMap(n => Gen.containerOfN[Array, Long](n, key))

  private val someKeys: Gen[Array[Long]] = Gen.oneOf(
    keys(Gen.choose(-3L, 3L)),
    keys(Gen.choose(0L, 100000L)),
    keys(Arbitrary.arbitrary[Long]),
    keys(Gen.oneOf(Long.MinValue, Long.MaxValue, 0L, 1L << 62, -1L)),
    keys(Gen.choose(0L, 4L)).map(_.sorted),
    keys(Gen.choose(0, 63).map(1L << _)),
    keys(Gen.zip(Arbitrary.arbitrary[Long], Gen.choose(0, 63)).map { case (bits, by) => bits >>> by }),
    keys(Gen.choose(-1.0, 1.0).map(java.lang.Double.doubleToLongBits)),
    keys(Gen.frequency(9 -> Gen.const(5L), 1 -> Arbitrary.arbitrary[Long]))
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

  for (n <- Seq(70000, 300000); spread <- Seq(0, 20, 40))
    test(s"$n keys of which each is of up to $spread fewer bits than 64") {
      val random = new scala.util.Random(n + spread)
      val keys = Array.fill(n)(random.nextLong() >>> (if (spread == 0) 0 else random.nextInt(spread)))
      val expected = Array.range(0, n).sortWith { (a, b) =>
        val byKey = java.lang.Long.compareUnsigned(keys(a), keys(b))
        byKey < 0 || byKey == 0 && a < b
      }
      val (sorted, rows) = (keys.clone, Array.range(0, n))
      sort.sort(sorted, rows, 0, n)
      assert(rows.sameElements(expected))
      assert(sorted.sameElements(expected.map(keys(_))))
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

  test("comes to checkpoints while it distributes to buckets") {
    val n = 3 * RadixSort.RowsBetweenCheckpoints
    var calls = 0
    val keys = Array.tabulate(n)(i => i * 0x9e3779b97f4a7c15L)
    new RadixSort(() => calls += 1).sort(keys, Array.range(0, n), 0, n)
    assert(calls >= 2 * 3, calls)
  }
}
