package org.slidewise.core.multisets

import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll

import org.slidewise.core.kernels.{Columns, Naive}

class OrderedDoublesSuite extends MultisetSuite {

  private val anyBits = Arbitrary.arbitrary[Long].map(java.lang.Double.longBitsToDouble)

  private val doubles: Gen[Double] = Gen.oneOf(
    Columns.special,
    Columns.exact,
    anyBits,
    Gen.oneOf(Double.MinPositiveValue, -Double.MinPositiveValue, Double.MaxValue, Double.MinValue)
  )

  property("the longs compare as the doubles do in Spark's order") {
    forAll(doubles, doubles) { (a, b) =>
      val expected = if (Naive.greater(a, b)) 1 else if (Naive.greater(b, a)) -1 else 0
      assertEquals(OrderedDoubles.toLong(a).compare(OrderedDoubles.toLong(b)), expected, s"$a and $b")
    }
  }

  property("the inverse gives the double back, with one zero and one NaN") {
    forAll(doubles) { value =>
      assertEquals(bits(OrderedDoubles.toDouble(OrderedDoubles.toLong(value))), bits(normal(value)))
    }
  }

  property("signed longs put -0.0 before 0.0, and differ in nothing else") {
    forAll(doubles, doubles) { (a, b) =>
      assertEquals(
        OrderedDoubles.toSignedLong(a).compare(OrderedDoubles.toSignedLong(b)),
        java.lang.Double.compare(a, b)
      )
      val back = OrderedDoubles.toDouble(OrderedDoubles.toSignedLong(a))
      assert(back.isNaN && a.isNaN || bits(back) == bits(a))
    }
    val signed = new Array[Long](2)
    OrderedDoubles.toSignedLongs(Array(-0.0, 0.0, 1.0), 2, signed)
    assertEquals(signed.toSeq, Seq(-1L, 0L))
  }

  test("whole arrays") {
    val values = Array(1.5, -0.0, Double.NaN, Double.NegativeInfinity, 99.0)
    val longs = Array.fill(5)(-7L)
    OrderedDoubles.toLongs(values, 4, longs)
    assertEquals(longs.toSeq, values.take(4).map(OrderedDoubles.toLong).toSeq :+ -7L)
    val back = Array.fill(5)(-7.0)
    OrderedDoubles.toDoubles(longs, 4, back)
    assertEquals(back.map(bits).toSeq, Seq(1.5, 0.0, Double.NaN, Double.NegativeInfinity, -7.0).map(bits))
  }
}
