package org.slidewise.core.frames

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class RestartingFramesSuite extends ScalaCheckSuite {

  private def check(states: Intervals, algorithm: FrameAlgorithm, lo: Long, hi: Long): Unit =
    assertEquals(states(algorithm.slide(lo, hi)), Intervals(lo, hi))

  private val frames = Gen.oneOf(1L, 50L, 300L).flatMap(UnorderedFrames.upTo)

  property("frames in any order over Two-Stacks, in each sequence") {
    forAll(frames, frames, Gen.oneOf(0, 40, 1000)) { (first, second, capacity) =>
      val states = new Intervals(_ <= capacity)
      val algorithm = new RestartingFrames(new TwoStacksFrames(states))
      for (sequence <- Seq(first, second)) {
        for ((lo, hi) <- sequence) check(states, algorithm, lo, hi)
        algorithm.reset()
      }
    }
  }

  property("totals in any order: an element costs one combine since the last frame that was longer") {
    forAll(Gen.listOf(Gen.choose(0L, 100L))) { ends =>
      val states = new Intervals
      val algorithm = new RestartingFrames(new RunningFrames(states))
      for ((last, hi) <- (0L +: ends).zip(ends)) {
        val combines = states.combinesOf(check(states, algorithm, 0L, hi))
        assertEquals(combines, if (hi < last) hi else hi - last)
      }
    }
  }

  property("frames that rise cost what they cost without restarts") {
    forAll(frames) { frames =>
      val rising = frames.map(_._1).sorted.zip(frames.map(_._2).sorted)
      val states, plain = new Intervals
      val algorithm = new RestartingFrames(new TwoStacksFrames(states))
      val underlying = new TwoStacksFrames(plain)
      for ((lo, hi) <- rising) {
        check(states, algorithm, lo, hi)
        underlying.slide(lo, hi)
        assertEquals(states.combines, plain.combines)
      }
    }
  }

  test("a frame whose end moves back costs its elements, and the next ones slide") {
    val states = new Intervals
    val algorithm = new RestartingFrames(new TwoStacksFrames(states))
    for (hi <- 100L to 300L) check(states, algorithm, hi - 100, hi)
    for ((lo, hi) <- Seq((150L, 301L), (160L, 300L), (100L, 400L)))
      assertEquals(states.combinesOf(check(states, algorithm, lo, hi)), hi - lo)
    val slid = states.combinesOf((101L to 1000L).foreach(lo => check(states, algorithm, lo, lo + 300)))
    assert(slid <= 3 * 900 + 300, slid)
  }
}
