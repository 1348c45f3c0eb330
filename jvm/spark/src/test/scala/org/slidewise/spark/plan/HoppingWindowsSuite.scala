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

  private val edges = (0L to 40L).flatMap(i => Seq(Long.MinValue + i, Long.MaxValue - i))

  /** Spark's windows of a time without ANSI: its arithmetic, modulo 2^64^, and its filter. */
  private def ofSpark(windows: HoppingWindows, time: Long): Set[Long] = {
    val remainder = (time - windows.offset) % windows.slide
    val last = time - (if (remainder < 0) remainder + windows.slide else remainder)
    val starts = (0L until windows.overlapping).map(last - _ * windows.slide)
    starts.filter(s => windows.ends == 0 || time >= s && time < s + windows.size).toSet
  }

  test("near the least and the greatest time, a pane has the windows of its times in Spark") {
    for (windows <- shapes if windows.size < 100; time <- edges) {
      val pane = windows.pane(time)
      val told = s"$windows, $time in the pane $pane"
      assert(pane <= time && BigInt(time) - pane < windows.slide, told)
      assertEquals(windows.pane(pane), pane, told)
      assertEquals(ofSpark(windows, pane), ofSpark(windows, time), told)
      assertEquals(windows.phase(pane), windows.phase(time), told)
    }
  }

  test("an overflow is found where one of Spark's operations overflows") {
    for (windows <- shapes if windows.size < 100; time <- edges ++ (-5L to 5L)) {
      val shifted = BigInt(time) - windows.offset
      val last = BigInt(time) - ((shifted % windows.slide) + windows.slide) % windows.slide
      val starts = (0L until windows.overlapping).map(last - _ * windows.slide)
      val overflows = (Seq(shifted, last) ++ starts ++ starts.map(_ + windows.size)).exists(!_.isValidLong)
      assertEquals(windows.overflow(time).isDefined, overflows, s"$windows, $time")
      for (WindowOverflow(left, right, isSum) <- windows.overflow(time))
        assert(!(if (isSum) BigInt(left) + right else BigInt(left) - right).isValidLong)
      val (least, greatest) = windows.safeTimes
      assert(!overflows || time < least || time > greatest, s"$windows, $time")
    }
  }

  test("bounds beyond the least and the greatest time are these times") {
    val windows = HoppingWindows(10, 4, 1)
    assertEquals(windows.lastStart(Long.MinValue), Long.MinValue)
    assertEquals(windows.firstStart(Long.MinValue + 1), Long.MinValue)
    assertEquals(windows.lastEnded(Long.MinValue + 9), Long.MinValue)
    assertEquals(windows.end(windows.lastStart(Long.MaxValue)), Long.MaxValue)
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
