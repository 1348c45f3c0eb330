package org.slidewise.core.frames

import munit.ScalaCheckSuite
import org.scalacheck.{Gen, Prop}
import org.scalacheck.Prop.propBoolean

class TwoStacksFramesSuite extends ScalaCheckSuite {

  /** Strings are the free monoid: every wrong order, gap or repetition changes the result. */
  final private class Strings(capacity: Int) extends FrameStates {
    private var slots = Array.empty[String]
    var reserved = 0
    private var combined = 0L

    def apply(slot: Int): String = slots(slot)
    def combines: Long = combined

    def tryReserve(n: Int): Boolean = n <= capacity && { reserve(n); true }
    def reserve(n: Int): Unit = {
      if (n > slots.length) slots = slots.padTo(n, "stale")
      reserved = math.max(reserved, n)
    }
    def clear(slot: Int): Unit = slots(slot) = ""
    def accumulate(slot: Int, from: Long, until: Long): Unit = {
      combined += until - from
      slots(slot) = slots(slot) + text(from, until)
    }
    def lift(first: Int, from: Long, until: Long): Unit =
      (from until until).foreach(p => slots(first + (p - from).toInt) = text(p, p + 1))
    def combine(target: Int, older: Int, newer: Int): Unit = {
      combined += 1
      slots(target) = slots(older) + slots(newer)
    }
  }

  private def text(from: Long, until: Long): String =
    (from until until).mkString("", ",", ",").stripPrefix(",")

  private val steps: Gen[List[(Int, Int)]] =
    Gen.listOf(
      Gen.zip(
        Gen.frequency(6 -> Gen.oneOf(0, 1, 1, 1), 1 -> Gen.choose(0, 40)),
        Gen.frequency(6 -> Gen.oneOf(0, 1, 1, 2), 1 -> Gen.choose(0, 90))
      )
    )

  private def frames(steps: List[(Int, Int)]): List[(Long, Long)] =
    steps
      .scanLeft((0L, 0L)) { case ((lo, hi), (dLo, dHi)) =>
        val newHi = hi + dHi
        (math.min(lo + dLo, newHi), newHi)
      }
      .tail

  for (capacity <- Seq(0, 40, 1 << 20))
    property(s"any nondecreasing frames, $capacity states affordable") {
      Prop.forAll(steps) { steps =>
        val states = new Strings(capacity)
        val algorithm = new TwoStacksFrames(states)
        Prop.all(frames(steps).map { case (lo, hi) =>
          val got = states(algorithm.slide(lo, hi))
          (got == text(lo, hi)) :| s"[$lo, $hi): got $got"
        }: _*)
      }
    }

  private def combinesAnElement(window: Long, rows: Long, capacity: Int): (Double, Int) = {
    val states = new Strings(capacity)
    val algorithm = new TwoStacksFrames(states)
    (1L to rows).foreach(hi => algorithm.slide(math.max(0, hi - window), hi))
    (states.combines.toDouble / rows, states.reserved)
  }

  for (window <- Seq(1L, 2L, 3L, 10L, 100L, 1000L)) {
    test(s"at most 3 combines an element of frames of $window, and n + 2 states") {
      val (combines, reserved) = combinesAnElement(window, 20 * window + 200, 1 << 20)
      assert(combines <= 3.0, combines)
      assert(reserved <= window + 2, reserved)
    }
    test(s"at most 4 combines an element of frames of $window with checkpoints, and 2√n + 3 states") {
      val (combines, reserved) = combinesAnElement(window, 20 * window + 200, 0)
      assert(combines <= 4.0, combines)
      val bound = 2 * math.ceil(math.sqrt(window.toDouble)) + 3
      assert(reserved <= bound, s"$reserved > $bound")
    }
  }

  test("a shrinking frame costs 3 combines an element and one a block") {
    val n = 5000L
    val states = new Strings(0)
    val algorithm = new TwoStacksFrames(states)
    (0L until n).foreach(lo => assertEquals(states(algorithm.slide(lo, n)).length, text(lo, n).length))
    assert(states.combines <= 3 * n + math.ceil(math.sqrt(n.toDouble)), states.combines)
  }

  test("after a reset the positions start anew") {
    val states = new Strings(0)
    val algorithm = new TwoStacksFrames(states)
    (1L to 50L).foreach(hi => algorithm.slide(math.max(0, hi - 9), hi))
    algorithm.reset()
    assertEquals(states(algorithm.slide(0, 2)), "0,1,")
    assertEquals(states(algorithm.slide(1, 3)), "1,2,")
  }
}
