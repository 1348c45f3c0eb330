package org.slidewise.core.multisets

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.{Column, Columns, Naive}

class PercentilesSuite extends MultisetSuite {

  private val dictionary = new ColumnDictionary
  private val percentiles = new Percentiles

  private val fractions: Gen[Array[Double]] =
    Gen
      .choose(0, 3)
      .flatMap(
        Gen.containerOfN[Array, Double](_, Gen.oneOf(Gen.oneOf(0.0, 0.25, 0.5, 1.0), Gen.choose(0.0, 1.0)))
      )

  /** Spark's `Percentile.getPercentile`, over values in the order that `ORDER BY` says. */
  private def naive(sorted: Vector[Double], fraction: Double, interpolation: Interpolation): Double =
    if (sorted.isEmpty) Double.NaN
    else {
      val position = (sorted.size - 1L) * fraction
      val lower = position.floor.toLong
      val higher = position.ceil.toLong
      val low = sorted(lower.toInt)
      val high = sorted(higher.toInt)
      if (lower == higher || bits(low) == bits(high)) low
      else if (interpolation == Interpolation.ByDifference) low + (position - lower) * (high - low)
      else (higher - position) * low + (position - lower) * high
    }

  private def sortedDoubles(values: Vector[Double], descending: Boolean): Vector[Double] = {
    val sorted = values.map(normal).sortWith((a, b) => Naive.greater(b, a))
    if (descending) sorted.reverse else sorted
  }

  private def interpolated(
      values: Array[Long],
      column: Column[_],
      decoder: ValueDecoder,
      interpolation: Interpolation,
      fractions: Array[Double],
      descending: Boolean,
      frames: Frames
  ): Array[Array[Double]] = {
    dictionary.encodeInOrder(values, column.valid(sayAllValid = true), column.size)
    val out = fractions.map(_ => new Array[Double](frames.count))
    percentiles.interpolated(dictionary, decoder, interpolation, fractions, descending, frames, out)
    out
  }

  property("interpolated percentiles of doubles, ascending and descending") {
    forAll(withFrames(Gen.oneOf(Columns.doubles, Columns.anyDoubles)), fractions) {
      case ((column, frames), fractions) =>
        for {
          descending <- Seq(false, true)
          interpolation <- Seq(Interpolation.WeightedMean, Interpolation.ByDifference)
        } {
          val decoder = ValueDecoder.Doubles
          val out =
            interpolated(ordered(column), column, decoder, interpolation, fractions, descending, frames)
          for (i <- fractions.indices; (window, k) <- windows(column, frames).zipWithIndex)
            assertEquals(
              bits(out(i)(k)),
              bits(naive(sortedDoubles(window, descending), fractions(i), interpolation)),
              s"percentile ${fractions(i)} of window $k"
            )
        }
    }
  }

  property("interpolated percentiles of longs, of which neighbours may be equal as doubles") {
    val neighbours = Gen.listOfN(30, Gen.choose(Long.MaxValue - 5, Long.MaxValue).map(Option(_)))
    val columns = Gen.oneOf(Columns.longs, neighbours.map(cells => Column(cells.toVector)))
    forAll(withFrames(columns), fractions) { case ((column, frames), fractions) =>
      val out =
        interpolated(
          longs(column),
          column,
          ValueDecoder.Longs,
          Interpolation.WeightedMean,
          fractions,
          descending = false,
          frames
        )
      for (i <- fractions.indices; (window, k) <- windows(column, frames).zipWithIndex) {
        val sorted = window.sorted
        val position = (sorted.size - 1L) * fractions(i)
        val one = sorted.nonEmpty &&
          sorted(position.floor.toInt) == sorted(position.ceil.toInt)
        val expected = if (one) sorted(position.floor.toInt).toDouble else interpolate(sorted, position)
        assertEquals(bits(out(i)(k)), bits(expected), s"percentile ${fractions(i)} of window $k")
      }
    }
  }

  private def interpolate(sorted: Vector[Long], position: Double): Double =
    if (sorted.isEmpty) Double.NaN
    else {
      val (lower, higher) = (position.floor, position.ceil)
      (higher - position) * sorted(lower.toInt).toDouble + (position - lower) * sorted(higher.toInt).toDouble
    }

  property("discrete percentiles of several fractions at once, ascending and descending") {
    forAll(withFrames(Columns.longs), fractions) { case ((column, frames), fractions) =>
      dictionary.encodeInOrder(longs(column), column.valid(sayAllValid = true), column.size)
      val rules = fractions.map(RankRule.discrete)
      val both = rules ++ rules.map(RankRule.descending)
      val out = both.map(_ => new Array[Int](frames.count))
      percentiles.ranked(dictionary.codes, dictionary.cardinality, both, frames, out)
      for (i <- fractions.indices; (window, k) <- windows(column, frames).zipWithIndex) {
        def nearest(sorted: Vector[Long]): Option[Long] = sorted.zipWithIndex.collectFirst {
          case (value, index) if index + 1 >= sorted.size * fractions(i) => value
        }
        def found(code: Int): Option[Long] = Some(code).filter(_ >= 0).map(dictionary.value)
        assertEquals(found(out(i)(k)), nearest(window.sorted))
        assertEquals(found(out(fractions.length + i)(k)), nearest(window.sorted.reverse))
      }
    }
  }

  property("decimals are the doubles next to them") {
    forAll(Gen.choose(Long.MinValue, Long.MaxValue), Gen.choose(0, 40)) { (unscaled, scale) =>
      for (value <- Seq(unscaled, unscaled >> 20, unscaled >> 50))
        assertEquals(
          ValueDecoder.decimals(scale)(value),
          new java.math.BigDecimal(java.math.BigInteger.valueOf(value), scale).toPlainString.toDouble
        )
    }
  }

  test("the lower of two neighbours, as percentile_disc was") {
    assertEquals((1L to 5L).map(RankRule.lower(0.5).rank), Seq(0L, 0L, 1L, 1L, 2L))
    assertEquals((1L to 3L).map(RankRule.lower(1.0).rank), Seq(0L, 1L, 2L))
  }

  property("rules whose ranks jump from frame to frame") {
    forAll(withFrames(Columns.longs)) { case (column, frames) =>
      dictionary.encodeInOrder(longs(column), column.valid(sayAllValid = true), column.size)
      val jumping: RankRule = size => (size * size * 31 + 7) % size
      val out = Array(new Array[Int](frames.count))
      percentiles.ranked(dictionary.codes, dictionary.cardinality, Array(jumping), frames, out)
      val expected = windows(codesOf(dictionary, column.size), frames).map { codes =>
        if (codes.isEmpty) -1 else codes.sorted.apply(jumping.rank(codes.size.toLong).toInt)
      }
      assertEquals(out(0).toSeq, expected)
    }
  }

  test("fractions outside of 0 to 1 and short arrays are refused") {
    dictionary.encodeInOrder(new Array(3), null, 3)
    val frames = Frames.rows(3, 0, 0)
    def interpolate(fraction: Double, out: Array[Array[Double]]): Unit =
      percentiles.interpolated(
        dictionary,
        ValueDecoder.Doubles,
        Interpolation.WeightedMean,
        Array(fraction),
        descending = false,
        frames,
        out
      )
    for (fraction <- Seq(-0.1, 1.1, Double.NaN)) {
      intercept[IllegalArgumentException](interpolate(fraction, Array(new Array(3))))
      intercept[IllegalArgumentException](RankRule.discrete(fraction))
    }
    intercept[IllegalArgumentException](interpolate(0.5, Array.empty))
    intercept[IllegalArgumentException](interpolate(0.5, Array(new Array(2))))
  }
}
