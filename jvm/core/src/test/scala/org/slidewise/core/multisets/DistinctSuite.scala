package org.slidewise.core.multisets

import org.scalacheck.{Arbitrary, Gen}
import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.{Columns, Validity}

class DistinctSuite extends MultisetSuite {

  private val dictionary = new ColumnDictionary
  private val counts = new DistinctCounts
  private val sums = new DistinctSums
  private val doubleSums = new DistinctDoubleSums

  property("counts of distinct longs") {
    forAll(withFrames(Columns.longs)) { case (column, frames) =>
      dictionary.encode(longs(column), column.valid(sayAllValid = true), column.size)
      val out = new Array[Long](frames.count)
      counts.frames(dictionary.codes, dictionary.cardinality, frames, out)
      assertEquals(out.toSeq, windows(column, frames).map(_.distinct.size.toLong))
    }
  }

  property("counts of distinct doubles: one NaN, one zero") {
    forAll(withFrames(Columns.doubles)) { case (column, frames) =>
      dictionary.encode(ordered(column), column.valid(sayAllValid = true), column.size)
      val out = new Array[Long](frames.count)
      counts.frames(dictionary.codes, dictionary.cardinality, frames, out)
      assertEquals(
        out.toSeq,
        windows(column, frames).map(_.map(v => bits(normal(v))).distinct.size.toLong)
      )
    }
  }

  property("sums of distinct longs, those that do not fit, and the nearest doubles") {
    forAll(withFrames(Columns.longs)) { case (column, frames) =>
      dictionary.encode(longs(column), column.valid(sayAllValid = true), column.size)
      val out = new Array[Long](frames.count)
      val fits = Array.fill(Validity.words(frames.count) + 1)(0x55L)
      val totals = new Array[Double](frames.count)
      val expected = windows(column, frames).map(_.distinct.map(BigInt(_)).sum)
      assertEquals(sums.frames(dictionary, frames, out, fits), expected.forall(_.isValidLong))
      sums.totals(dictionary, frames, totals)
      for (k <- expected.indices) {
        assertEquals(out(k), expected(k).toLong, s"window $k")
        assertEquals(Validity.at(fits, k), expected(k).isValidLong, s"window $k")
        assertEquals(totals(k), BigDecimal(expected(k)).toDouble, s"window $k")
      }
    }
  }

  property("wide sums round once, halfway cases to even") {
    val nearHalfway = for {
      significand <- Gen.choose(1L << 52, (1L << 53) - 1)
      shift <- Gen.choose(1, 20)
      off <- Gen.oneOf(-1, 0, 1)
      sign <- Gen.oneOf(-1, 1)
    } yield sign * ((BigInt(2 * significand + 1) << shift) + off)
    forAll(Gen.oneOf(nearHalfway, Arbitrary.arbitrary[Long].map(BigInt(_) << 9))) { number =>
      val sum = new WideSum
      var rest = number
      while (rest != 0) {
        val step = rest.max(Long.MinValue).min(Long.MaxValue)
        sum.add(step.toLong)
        rest -= step
      }
      assertEquals(sum.toDouble, new java.math.BigDecimal(number.bigInteger).doubleValue, s"$number")
      assertEquals(sum.fits, number.isValidLong)
      assertEquals(sum.toLong, number.toLong)
    }
  }

  property("sums of distinct doubles, with NaN and infinities") {
    forAll(withFrames(Columns.doubles)) { case (column, frames) =>
      dictionary.encode(ordered(column), column.valid(sayAllValid = true), column.size)
      val out = new Array[Double](frames.count)
      doubleSums.frames(dictionary, frames, out)
      val expected = windows(column, frames).map(_.map(normal).distinctBy(bits).foldLeft(0.0)(_ + _))
      assertEquals(out.map(bits).toSeq, expected.map(bits))
    }
  }

  property("no error of a large value remains once it left") {
    forAll(withFrames(Columns.anyDoubles)) { case (column, frames) =>
      dictionary.encode(ordered(column), column.valid(sayAllValid = true), column.size)
      val out = new Array[Double](frames.count)
      doubleSums.frames(dictionary, frames, out)
      for ((window, k) <- windows(column, frames).zipWithIndex) {
        val values = window.distinctBy(v => bits(normal(v)))
        val exact = values.map(BigDecimal.exact(_)).sum
        val bound = values.map(_.abs).sum * 9 * math.ulp(1.0)
        assert((BigDecimal.exact(out(k)) - exact).abs <= BigDecimal.exact(bound), s"window $k: ${out(k)}")
      }
    }
  }

  test("rows that no frame has never enter") {
    val outside = Array(0, 1, Int.MaxValue, Int.MaxValue, 1, 1)
    val out = new Array[Long](2)
    counts.frames(outside, 2, Frames.of(Array(0, 4), Array(2, 6), 2, 6), out)
    assertEquals(out.toSeq, Seq(2L, 1L))
  }

  test("arrays that are too short are refused") {
    val frames = Frames.rows(3, 0, 0)
    dictionary.encode(new Array(3), null, 3)
    intercept[IllegalArgumentException](counts.frames(new Array(3), 1, frames, new Array(2)))
    intercept[IllegalArgumentException](counts.frames(new Array(2), 1, frames, new Array(3)))
    intercept[IllegalArgumentException](sums.frames(dictionary, frames, new Array(3), new Array(0)))
    intercept[IllegalArgumentException](sums.totals(dictionary, frames, new Array(2)))
    intercept[IllegalArgumentException](doubleSums.frames(dictionary, frames, new Array(2)))
  }
}
