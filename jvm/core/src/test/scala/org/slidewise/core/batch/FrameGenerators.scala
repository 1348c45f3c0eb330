package org.slidewise.core.batch

import org.scalacheck.Gen

/** Random frames: long and short ones, slow and jumping ends, runs of empty and of equal windows. */
object FrameGenerators {

  def frames(size: Int): Gen[Frames] =
    for {
      count <- Gen.choose(0, 2 * size + 3)
      stride = Gen.frequency(
        6 -> Gen.choose(0, 2),
        2 -> Gen.const(0),
        1 -> Gen.choose(0, math.max(1, size / 3))
      )
      los <- Gen.listOfN(count, stride)
      his <- Gen.listOfN(count, stride)
      lead <- Gen.choose(0, size)
    } yield {
      val lo = los.scanLeft(0)(_ + _).tail.map(math.min(_, size)).toArray
      val hi = his.scanLeft(lead)(_ + _).tail.map(math.min(_, size)).toArray
      for (k <- lo.indices) hi(k) = math.max(hi(k), lo(k))
      Frames.of(lo, hi, count, size)
    }

  def sized: Gen[Frames] = Gen.frequency(1 -> Gen.choose(0, 3), 5 -> Gen.choose(0, 60)).flatMap(frames)

  /** All sequences of nonempty windows over `size` elements whose ends do not decrease, of which no two in a row are equal. */
  def allSequences(size: Int): Iterator[List[(Int, Int)]] = {
    val windows = for (lo <- 0 until size; hi <- lo + 1 to size) yield (lo, hi)
    def after(last: (Int, Int)): Iterator[List[(Int, Int)]] =
      Iterator(Nil) ++ windows.iterator
        .filter(w => w != last && w._1 >= last._1 && w._2 >= last._2)
        .flatMap(w => after(w).map(w :: _))
    after((0, 0))
  }
}
