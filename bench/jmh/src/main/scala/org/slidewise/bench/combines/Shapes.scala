package org.slidewise.bench.combines

import java.util.SplittableRandom
import org.slidewise.core.batch.Frames

/** The shapes of windows in which the algorithms' combines are counted, over 100,000 elements or, where frames are as long as that, over 10,000. */
private object Shapes {

  private final val Elements = 100000

  def all: Seq[(String, Frames)] = Seq(
    "the last 10" -> Frames.rows(Elements, -9, 0),
    "the last 1,000" -> Frames.rows(Elements, -999, 0),
    "the last 1,000, every 10th" -> every(10, 1000),
    "the last 1,000, every 500th" -> every(500, 1000),
    "the last 1,000, every 2,000th" -> every(2000, 1000),
    "from 500 before to 500 after" -> Frames.rows(Elements, -500, 500),
    "all so far" -> Frames.rows(Elements / 10, Int.MinValue, 0),
    "all from here on" -> Frames.rows(Elements / 10, 0, Int.MaxValue),
    "1,000 units of time, random steps" -> byTime,
    "bursts: both ends jump by up to 100" -> jumps
  )

  private def every(step: Int, width: Int): Frames = {
    val hi = Array.range(step, Elements + 1, step)
    Frames.of(hi.map(h => math.max(h - width, 0)), hi, hi.length, Elements)
  }

  private def byTime: Frames = {
    val random = new SplittableRandom(20)
    val times = Array.iterate(0, Elements)(_ + random.nextInt(3))
    var from = 0
    val lo = times.map { t =>
      while (times(from) <= t - 1000) from += 1
      from
    }
    Frames.of(lo, Array.range(1, Elements + 1), Elements, Elements)
  }

  private def jumps: Frames = {
    val random = new SplittableRandom(21)
    val hi = Iterator.iterate(1000)(_ + random.nextInt(101)).takeWhile(_ <= Elements).toArray
    val lo = hi.scanLeft(0)((l, h) => math.min(h, l + random.nextInt(101))).tail
    Frames.of(lo, hi, hi.length, Elements)
  }
}
