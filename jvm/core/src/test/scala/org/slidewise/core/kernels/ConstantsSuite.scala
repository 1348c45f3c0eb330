package org.slidewise.core.kernels

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class ConstantsSuite extends ScalaCheckSuite {
  private val longs = Gen.listOf(Gen.oneOf(Gen.choose(-9L, 9L), Gen.oneOf(Long.MinValue, Long.MaxValue)))
  private val doubles = Gen.listOf(Gen.oneOf(-1.5, -0.0, 0.0, 2.0, Double.NaN, Double.PositiveInfinity))

  property("a long is combined with the first results") {
    forAll(longs, Gen.choose(-9L, 9L), Gen.choose(0, 3)) { (results, value, more) =>
      def after(combine: (Array[Long], Int, Long) => Unit) = {
        val out = (results ++ List.fill(more)(77L)).toArray
        combine(out, results.size, value)
        assertEquals(out.drop(results.size).toList, List.fill(more)(77L))
        out.toList.take(results.size)
      }
      assertEquals(after(Constants.add), results.map(_ + value))
      assertEquals(after(Constants.min), results.map(math.min(_, value)))
      assertEquals(after(Constants.max), results.map(math.max(_, value)))
    }
  }

  property("a double is combined in Spark's order, with the older of equal values") {
    forAll(doubles, Gen.oneOf(-0.0, 0.0, 1.0, Double.NaN), Gen.oneOf(true, false)) {
      (results, value, isOlder) =>
        def bits(values: Seq[Double]) = values.map(java.lang.Double.doubleToLongBits)
        def after(combine: (Array[Double], Int, Double, Boolean) => Unit) = {
          val out = results.toArray
          combine(out, results.size, value, isOlder)
          bits(out.toSeq)
        }
        // NaN is greatest, and zeros are equal.
        def less(a: Double, b: Double) = !a.isNaN && (b.isNaN || a < b)
        def chosen(better: (Double, Double) => Boolean) = bits(results.map { r =>
          val (older, newer) = if (isOlder) (value, r) else (r, value)
          if (better(newer, older)) newer else older
        })
        assertEquals(after(Constants.min), chosen(less(_, _)))
        assertEquals(after(Constants.max), chosen((a, b) => less(b, a)))
        val sums = results.toArray
        Constants.add(sums, results.size, value)
        assertEquals(bits(sums.toSeq), bits(results.map(_ + value)))
    }
  }
}
