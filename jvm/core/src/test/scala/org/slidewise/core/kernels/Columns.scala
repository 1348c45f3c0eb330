package org.slidewise.core.kernels

import org.scalacheck.Gen

/** A column with nulls, as tests see it. */
final case class Column[A](cells: Vector[Option[A]]) {
  def size: Int = cells.size

  /** Its validity words, or null (no row is null) where that is true and `sayAllValid` asks for it. */
  def valid(sayAllValid: Boolean): Array[Long] =
    if (sayAllValid && cells.forall(_.isDefined)) null
    else {
      // Bits past the last row are set, to see that nobody reads them.
      val words = Array.fill(Validity.words(size) + 1)(-1L)
      for (i <- cells.indices if cells(i).isEmpty) words(i >>> 6) &= ~(1L << i)
      words
    }

  def window(lo: Int, hi: Int): Vector[A] = cells.slice(lo, hi).flatten
}

object Columns {
  private def of[A](value: Gen[A], longest: Int): Gen[Column[A]] =
    for {
      size <- Gen.frequency(1 -> Gen.choose(0, 3), 6 -> Gen.choose(0, longest))
      nulls <- Gen.frequency(3 -> Gen.const(0), 3 -> Gen.choose(1, 99), 1 -> Gen.const(100))
      cells <- Gen.listOfN(size, Gen.frequency(nulls -> Gen.const(None), 100 - nulls -> value.map(Some(_))))
    } yield Column(cells.toVector)

  /** Numbers whose sums are exact, so that association does not show. */
  val exact: Gen[Double] = Gen.choose(-1000, 1000).map(_ / 4.0)

  val zeros: Gen[Double] = Gen.oneOf(0.0, -0.0)

  val special: Gen[Double] =
    Gen.oneOf(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity, 0.0, -0.0, 1.0, -1.0)

  val doubles: Gen[Column[Double]] = Gen.oneOf(
    of(exact, 200),
    of(special, 100),
    of(zeros, 60),
    of(Gen.frequency(9 -> exact, 1 -> special), 200),
    of(Gen.const(Double.NaN), 40)
  )

  val anyDoubles: Gen[Column[Double]] =
    of(Gen.oneOf(Gen.choose(-1e9, 1e9), Gen.choose(-1e-9, 1e-9)), 200)

  val longs: Gen[Column[Long]] = Gen.oneOf(
    of(Gen.choose(Long.MinValue, Long.MaxValue), 200),
    of(Gen.choose(-3L, 3L), 200),
    of(Gen.oneOf(Long.MinValue, Long.MaxValue, 0L, 1L, -1L), 100)
  )

  /** Offsets of both ends: short, long, one-sided, past the column, unbounded, in either order. */
  val offsets: Gen[(Int, Int)] = {
    val offset = Gen.frequency(
      6 -> Gen.choose(-8, 8),
      4 -> Gen.choose(-100, 100),
      1 -> Gen.oneOf(Int.MinValue, Int.MaxValue, Int.MinValue + 1, Int.MaxValue - 1, -300, 300)
    )
    Gen.zip(offset, offset, Gen.frequency(4 -> false, 1 -> true)).map { case (a, b, reversed) =>
      if (reversed == a < b) (b, a) else (a, b)
    }
  }
}
