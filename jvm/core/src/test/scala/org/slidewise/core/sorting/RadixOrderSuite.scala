package org.slidewise.core.sorting

import munit.ScalaCheckSuite
import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll

class RadixOrderSuite extends ScalaCheckSuite {

  private val someKeys: Gen[Array[Long]] = Gen.oneOf(
    Gen.containerOf[Array, Long](Gen.choose(-3L, 3L)),
    Gen.containerOf[Array, Long](Gen.choose(0L, 100000L)),
    Gen.containerOf[Array, Long](Arbitrary.arbitrary[Long]),
    Gen.containerOf[Array, Long](Gen.oneOf(Long.MinValue, Long.MaxValue, 0L, 1L << 62, -1L)),
    Gen.containerOf[Array, Long](Gen.choose(0L, 4L)).map(_.sorted)
  )

  property("as a stable comparison sort has it") {
    forAll(someKeys) { keys =>
      val expected = keys.indices.sortWith { (a, b) =>
        val byKey = java.lang.Long.compareUnsigned(keys(a), keys(b))
        byKey < 0 || byKey == 0 && a < b
      }
      RadixOrder.byKeys(keys.clone, keys.length).toSeq == expected
    }
  }

  property("regrouping keeps the order within each group") {
    forAll(someKeys, Gen.choose(1, 9)) { (keys, groups) =>
      val groupOf = keys.map(k => java.lang.Long.remainderUnsigned(k * 31 + 7, groups.toLong).toInt)
      val order = RadixOrder.byKeys(keys.clone, keys.length)
      val expected = order.toSeq.sortBy(row => groupOf(row))
      RadixOrder.byGroup(order, keys.length, groupOf, groups).toSeq == expected
    }
  }

  test("rows beyond the given number are left alone") {
    assertEquals(RadixOrder.byKeys(Array(5L, 4L, 3L, -1L, -1L), 3).toSeq, Seq(2, 1, 0))
  }
}
