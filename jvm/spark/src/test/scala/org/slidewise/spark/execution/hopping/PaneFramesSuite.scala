package org.slidewise.spark.execution.hopping

import scala.util.Random

import munit.FunSuite

import org.slidewise.spark.plan.HoppingWindows

class PaneFramesSuite extends FunSuite {

  /** Panes in memory, which counts how often a start is read. */
  final private class Panes(starts: IndexedSeq[Long]) extends PaneSource {
    var taken, calls = 0

    private def counted[T](answer: => T): T = {
      calls += 1
      answer
    }

    override def startAt(position: Long): Long = counted {
      assert(position < taken, s"pane $position is not taken")
      starts(position.toInt)
    }
    override def hasNext: Boolean = counted(taken < starts.size)
    override def nextStart: Long = counted(starts(taken))
    override def take(): Unit = taken += 1
  }

  /** The windows of panes, each with its first pane and the one behind its last, by the definition. */
  private def naive(windows: HoppingWindows, starts: IndexedSeq[Long]): Seq[(Long, Long, Long)] =
    starts
      .flatMap(pane => windows.firstStart(pane) to windows.lastStart(pane) by windows.slide)
      .distinct
      .sorted
      .map { start =>
        val held = starts.indices.filter(i => start <= starts(i) && starts(i) < start + windows.size)
        (start, held.head.toLong, held.last + 1L)
      }

  private def found(frames: PaneFrames): Seq[(Long, Long, Long)] =
    Iterator
      .continually(frames.advance())
      .takeWhile(identity)
      .map(_ => (frames.start, frames.lo, frames.hi))
      .toList

  private val shapes =
    for (slide <- 1L to 5L; size <- slide + 1 to slide * 4; offset <- Seq(0L, -3L))
      yield HoppingWindows(size, slide, offset)

  /** Spark's windows of panes without ANSI, each with its panes; those of one phase in the order of time. */
  private def ofSpark(windows: HoppingWindows, starts: IndexedSeq[Long]): Set[(Long, Long, Set[Long])] = {
    val copies = for {
      pane <- starts
      remainder = Math.floorMod(pane - windows.offset, windows.slide)
      i <- 0L until windows.overlapping
      start = pane - remainder - i * windows.slide
      if windows.ends == 0 || pane >= start && pane < start + windows.size
    } yield (start, pane)
    copies.groupBy(_._1).map { case (start, in) => (start, start + windows.size, in.map(_._2).toSet) }.toSet
  }

  test("windows near the least and the greatest time are Spark's") {
    val random = new Random(3)
    // Powers of two divide 2^64, where the two ends of time meet.
    for (windows <- shapes :+ HoppingWindows(9, 4, 1); slide = windows.slide; low <- Seq(true, false)) {
      val times =
        Seq.fill(9)(random.nextInt(40).toLong).map(i => if (low) Long.MinValue + i else Long.MaxValue - i)
      val starts = (times :+ 0L).map(windows.pane).distinct.sorted.toIndexedSeq
      val frames = new PaneFrames(windows, WindowSelection.All, new Panes(starts))
      val found = Iterator
        .continually(frames.advance())
        .takeWhile(identity)
        .map(_ => (frames.start, frames.end, starts.slice(frames.lo.toInt, frames.hi.toInt).toSet))
        .toList
      assertEquals(found.size, found.distinct.size, s"$windows, $starts")
      assertEquals(found.toSet, ofSpark(windows, starts), s"$windows, $starts")
    }
  }

  test("the windows of random panes, with gaps of every length, are those of the definition") {
    val random = new Random(2)
    for (windows <- shapes; panes <- 1 to 12) {
      val times =
        Iterator.iterate(-40L)(_ + random.nextInt(if (random.nextInt(4) == 0) 60 else 4)).take(panes)
      val starts = times.map(windows.pane).toIndexedSeq.distinct
      val frames = new PaneFrames(windows, WindowSelection.All, new Panes(starts))
      assertEquals(found(frames), naive(windows, starts), s"$windows, $starts")
      assert(!frames.advance(), "a window after the last")
    }
  }

  test("gaps of a thousand years are not walked") {
    val minute = 60000000L
    val windows = HoppingWindows(60 * minute, minute, 0)
    val starts = (-3 to 3).map(i => windows.pane(i * 1000L * 365 * 86400 * 1000000))
    val panes = new Panes(starts)
    assertEquals(found(new PaneFrames(windows, WindowSelection.All, panes)).size, 7 * 60)
    assert(panes.calls < 7 * 60 * 10, panes.calls)
  }

  test("a pane is taken once, and only when a window reaches it") {
    val windows = HoppingWindows(4, 2, 0)
    val panes = new Panes(Vector(0L, 2L, 100L))
    val frames = new PaneFrames(windows, WindowSelection.All, panes)
    assert(frames.advance())
    assertEquals((frames.start, panes.taken), (-2L, 1))
    assert(frames.advance())
    assertEquals((frames.start, panes.taken), (0L, 2))
    assert(frames.advance())
    assertEquals((frames.start, panes.taken), (2L, 2))
    assert(frames.advance())
    assertEquals((frames.start, panes.taken), (98L, 3))
  }

  test("a new key begins anew, also with earlier panes, and a key without panes has no windows") {
    val windows = HoppingWindows(4, 2, 0)
    var source = new Panes(Vector(100L))
    val frames = new PaneFrames(
      windows,
      WindowSelection.All,
      new PaneSource {
        override def startAt(position: Long): Long = source.startAt(position)
        override def hasNext: Boolean = source.hasNext
        override def nextStart: Long = source.nextStart
        override def take(): Unit = source.take()
      }
    )
    assertEquals(found(frames), Seq((98L, 0L, 1L), (100L, 0L, 1L)))
    source = new Panes(Vector(-8L))
    frames.reset()
    assertEquals(found(frames), Seq((-10L, 0L, 1L), (-8L, 0L, 1L)))
    source = new Panes(Vector.empty)
    frames.reset()
    assertEquals(found(frames), Nil)
  }
}
