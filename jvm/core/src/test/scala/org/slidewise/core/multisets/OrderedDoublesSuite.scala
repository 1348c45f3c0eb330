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
