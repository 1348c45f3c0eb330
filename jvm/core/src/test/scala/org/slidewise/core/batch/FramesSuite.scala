package org.slidewise.core.batch

import munit.ScalaCheckSuite
import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

class FramesSuite extends ScalaCheckSuite {

  private def refused(lo: Seq[Int], hi: Seq[Int], size: Int): String =
    intercept[IllegalArgumentException](Frames.of(lo.toArray, hi.toArray, lo.size, size)).getMessage

  test("windows that go back, are turned round or reach past the elements are refused by number") {
    assert(refused(Seq(1, 0), Seq(2, 2), 3).startsWith("window 1 is [0, 2)"))
    assert(refused(Seq(0, 0), Seq(2, 1), 3).startsWith("window 1 is [0, 1)"))
    assert(refused(Seq(2), Seq(1), 3).startsWith("window 0 is [2, 1)"))
    assert(refused(Seq(-1), Seq(1), 3).startsWith("window 0 is [-1, 1)"))
    assert(refused(Seq(0, 1), Seq(1, 4), 3).startsWith("window 1 is [1, 4)"))
    intercept[IllegalArgumentException](Frames.of(Array(0), Array(0), 2, 0))
    intercept[IllegalArgumentException](Frames.of(Array(0), Array(0), -1, 0))
    intercept[IllegalArgumentException](Frames.rows(-1, 0, 0))
  }

  property("rows: each row's window is the rows within the offsets") {
    val offset = Gen.frequency(
      8 -> Gen.choose(-12, 12),
      1 -> Gen.oneOf(Int.MinValue, Int.MaxValue, Int.MinValue + 1, Int.MaxValue - 1)
    )
    forAll(Gen.choose(0, 20), offset, offset) { (size, lower, upper) =>
      val frames = Frames.rows(size, lower, upper)
      for (i <- 0 until size) {
        val expected = (0 until size).filter(p => i.toLong + lower <= p && p <= i.toLong + upper)
        assertEquals(
          frames.lo(i) until frames.hi(i),
          expected.headOption.fold(frames.lo(i) until frames.lo(i))(_ to expected.last)
        )
      }
      assertEquals(frames.widest, (0 until size).map(i => frames.hi(i) - frames.lo(i)).maxOption.getOrElse(0))
      val again = Frames.of(frames.lo, frames.hi, frames.count, frames.size)
      assertEquals(again.count, size)
    }
  }
}
