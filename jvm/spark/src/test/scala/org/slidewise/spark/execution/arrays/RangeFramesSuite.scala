package org.slidewise.spark.execution.arrays

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class RangeFramesSuite extends ScalaCheckSuite {

  private case class Input(
      keys: Seq[Int],
      nulls: Int,
      nullsFirst: Boolean,
      before: Int,
      lower: Int,
      upper: Option[Int]
  )

  private val inputs: Gen[Input] = for {
    n <- Gen.choose(0, 40)
    keys <- Gen.listOfN(n, Gen.choose(100, 130))
    nulls <- Gen.oneOf(0, 0, 1, 5)
    nullsFirst <- Gen.oneOf(true, false)
    before <- Gen.choose(0, 3)
    lower <- Gen.choose(-12, 12)
    upper <- Gen.option(Gen.choose(lower, lower + 12))
  } yield Input(keys.sorted, nulls, nullsFirst, before, lower, upper)

  /** By the definition: a row is in the frame of another if its key is between the ends. */
  private def expected(in: Input): Seq[(Int, Int)] = {
    val nulls = Seq.fill(in.nulls)(None)
    val rows: Seq[Option[Int]] =
      if (in.nullsFirst) nulls ++ in.keys.map(Some(_)) else in.keys.map(Some(_)) ++ nulls
    val rank = (key: Option[Int]) => key.getOrElse(if (in.nullsFirst) Int.MinValue else Int.MaxValue)
    rows.map { row =>
      val least = rank(row.map(_ + in.lower))
      val most = in.upper.map(u => rank(row.map(_ + u)))
      val inside = rows.indices.filter(i => rank(rows(i)) >= least && most.forall(rank(rows(i)) <= _))
      if (inside.isEmpty) (-1, -1) else (inside.head, inside.last + 1)
    }
  }

  property("frames hold the rows whose keys are between the ends") {
    forAll(inputs) { in =>
      val size = in.keys.size + in.nulls
      val sorted = if (in.nullsFirst) Seq.fill(in.nulls)(0) ++ in.keys else in.keys ++ Seq.fill(in.nulls)(0)
      val keys = (Seq.fill(in.before)(7) ++ sorted).map(_.toLong).toArray
      val frames = RangeFrames.of(
        keys,
        in.before,
        in.before + size,
        in.nulls,
        in.nullsFirst,
        place => keys(place) + in.lower,
        in.upper.map(u => (place => keys(place) + u): BoundKeys).orNull
      )
      val found = (0 until size).map(k => (frames.lo(k), frames.hi(k)))
      assertEquals(found.map { case (lo, hi) => if (lo == hi) (-1, -1) else (lo, hi) }, expected(in))
    }
  }
}
