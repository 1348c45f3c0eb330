package org.slidewise.core.frames

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class RunningFramesSuite extends ScalaCheckSuite {

  /** Elements are their positions; a state is the text of those that it has taken, in order. */
  final private class Texts extends FrameStates {
    val slots: Array[String] = Array.fill(2)("stale")
    private var taken = 0L

    def combines: Long = taken
    def tryReserve(n: Int): Boolean = n <= 2
    def reserve(n: Int): Unit = assert(n <= 2, n)
    def clear(slot: Int): Unit = slots(slot) = ""
    def accumulate(slot: Int, from: Long, until: Long): Unit = {
      taken += until - from
      slots(slot) += (from until until).mkString(",", ",", "")
    }
    def lift(first: Int, from: Long, until: Long): Unit = fail("no state is lifted")
    def combine(target: Int, older: Int, newer: Int): Unit = fail("no states are combined")
  }

  property("frames that grow take each element once, in order, in each sequence") {
    forAll(Gen.listOf(Gen.choose(0, 5)), Gen.listOf(Gen.choose(0, 5))) { (first, second) =>
      val states = new Texts
      val frames = new RunningFrames(states)
      for (steps <- Seq(first, second)) {
        for (hi <- steps.scanLeft(0)(_ + _))
          assertEquals(states.slots(frames.slide(0L, hi.toLong)), (0 until hi).map("," + _).mkString)
        frames.reset()
      }
      assertEquals(states.combines, (first.sum + second.sum).toLong)
    }
  }

  test("an empty frame keeps the state of the frames that grow") {
    val states = new Texts
    val frames = new RunningFrames(states)
    assertEquals(states.slots(frames.slide(0L, 2L)), ",0,1")
    assertEquals(states.slots(frames.slide(2L, 2L)), "")
    assertEquals(states.slots(frames.slide(0L, 3L)), ",0,1,2")
    assertEquals(states.combines, 3L)
  }

  test("a frame that starts later is refused") {
    intercept[IllegalArgumentException](new RunningFrames(new Texts).slide(1L, 2L))
  }
}
