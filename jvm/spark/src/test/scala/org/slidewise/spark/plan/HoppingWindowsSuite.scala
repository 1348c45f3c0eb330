package org.slidewise.spark.plan

import scala.util.Random

import munit.FunSuite

class HoppingWindowsSuite extends FunSuite {
  private val random = new Random(1)

  private def between(low: Long, high: Long): Long = low + Math.floorMod(random.nextLong(), high - low + 1)

  /** Small windows, so that each bound of each is met, and large ones, of up to a thousand years. */
  private val shapes: Seq[HoppingWindows] = {
    val small =
      for (slide <- 1L to 6L; size <- slide + 1 to slide * 4; offset <- Seq(0L, 1L, -4L))
        yield HoppingWindows(size, slide, offset)
    val year = 365L * 86400 * 1000000
    val large = Seq.fill(40) {
      val slide = between(1, year)
      HoppingWindows(slide + between(1, 1000 * year - slide), slide, between(-year, year))
    }
    small ++ large
  }

  /** Whether a window begins at `start`, by the definition. */
  private def isStart(windows: HoppingWindows, start: Long) =
    (BigInt(start) - windows.offset) % windows.slide == 0

  private def timesNear(windows: HoppingWindows): Seq[Long] =
    if (windows.size < 100) -30L to 30L
    else {
      val start = windows.lastStart(between(-1L << 50, 1L << 50))
      Seq(start, start + windows.ends, start + windows.slide, between(-1L << 50, 1L << 50)).flatMap(t =>
        t - 1 to t + 1
      )
    }

  test("the first and the last window of a time hold it, and those beside them do not") {
    for (windows <- shapes; time <- timesNear(windows)) {
      val (first, last) = (windows.firstStart(time), windows.lastStart(time))
      val told = s"$windows, $time"
      assert(isStart(windows, first) && isStart(windows, last), told)
      assert(first <= last && last <= time && time < windows.end(first), told)
      assert(windows.end(first - windows.slide) <= time && last + windows.slide > time, told)
      val count = (last - first) / windows.slide + 1
      assert(count == windows.overlapping || count == windows.overlapping - 1 && windows.ends != 0, told)
    }
  }

  test("each small window lists the times that the definition gives it") {
    for (windows <- shapes if windows.size < 100; time <- -30L to 30L) {
      val naive = (-100L to 100L).filter(s => isStart(windows, s) && s <= time && time < s + windows.size)
      assertEquals(
        windows.firstStart(time) to windows.lastStart(time) by windows.slide: Seq[Long],
        naive,
        s"$windows, $time"
      )
    }
  }

  test("a pane holds its time, is one for all its times, and is wholly inside or outside of every window") {
    for (windows <- shapes; time <- timesNear(windows)) {
      val pane = windows.pane(time)
      val told = s"$windows, $time"
      assert(pane <= time && time - pane < windows.slide, told)
      assertEquals(windows.pane(pane), pane, told)
      assertEquals(
        (windows.firstStart(pane), windows.lastStart(pane)),
        (windows.firstStart(time), windows.lastStart(time)),
        told
      )
    }
  }

  test("panes are as few as can be: times of one pane only where the windows agree, and else of two") {
    for (windows <- shapes if windows.size < 100; time <- -30L to 30L) {
      val agree = windows.firstStart(time) == windows.firstStart(time + 1) &&
        windows.lastStart(time) == windows.lastStart(time + 1)
      assertEquals(windows.pane(time) == windows.pane(time + 1), agree, s"$windows, $time")
    }
  }

  test("times so far from 1970 that a bound is no long are refused") {
    val windows = HoppingWindows(10, 4, 1)
    intercept[ArithmeticException](windows.pane(Long.MinValue))
    intercept[ArithmeticException](windows.firstStart(Long.MinValue + 9))
    intercept[ArithmeticException](windows.end(windows.lastStart(Long.MaxValue)))
    intercept[ArithmeticException](HoppingWindows(10, 4, -1).pane(Long.MaxValue))
    assert(windows.firstStart(Long.MinValue + 20) < Long.MinValue + 20)
  }

  test("windows are shown as intervals") {
    assertEquals(HoppingWindows(5400000000L, 60000000L, 0).toString, "1 hours 30 minutes every 1 minutes")
    assertEquals(
      HoppingWindows(3, 2, -1).toString,
      "0.000003 seconds every 0.000002 seconds from -0.000001 seconds"
    )
  }
}
