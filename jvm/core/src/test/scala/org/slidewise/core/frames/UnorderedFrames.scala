package org.slidewise.core.frames

import org.scalacheck.Gen

/** Random frames in any order: short and long ones, empty ones, at blocks and beside them, now and then the same again. */
private[frames] object UnorderedFrames {
  def upTo(n: Long): Gen[List[(Long, Long)]] = Gen
    .listOf(frame(n))
    .map(_.flatMap { case (frame, again) =>
      List.fill(again)(frame)
    })

  private def frame(n: Long): Gen[((Long, Long), Int)] = for {
    lo <- Gen.oneOf(Gen.const(0L), Gen.choose(0L, n), Gen.choose(0L, n / 16).map(_ * 16))
    hi <- Gen.oneOf(
      Gen.const(lo),
      Gen.choose(lo, math.min(n, lo + 40)),
      Gen.choose(lo, n),
      Gen.choose(lo / 16, n / 16).map(block => math.max(lo, block * 16))
    )
    again <- Gen.frequency(9 -> 1, 1 -> 2)
  } yield ((lo, hi), again)
}
