package org.slidewise.core.durable

import scala.collection.mutable
import scala.util.Random

import munit.FunSuite

import org.slidewise.core.Aggregator
import org.slidewise.core.state.CellStore

class SegmentedFramesSuite extends FunSuite {
  import SegmentedFramesSuite._

  for {
    segment <- Seq(1L, 2L, 7L, 16L)
    width <- Seq(1, 2, 5, 16, 33, 200)
  } test(s"frames of $width elements in segments of $segment, closed and opened at random") {
    val random = new Random(segment * 1000 + width)
    check(segment, 600, position => (math.max(0, position - width + 1), position + 1), random)
  }

  test("frames that jump, stand still, are empty, or share nothing with the last") {
    val random = new Random(5)
    for (_ <- 1 to 50) {
      var lo, hi = 0L
      check(
        8L,
        300,
        _ => {
          hi = math.min(300, hi + (if (random.nextInt(10) == 0) random.nextInt(90) else random.nextInt(3)))
          lo = math.min(hi, lo + (if (random.nextInt(12) == 0) random.nextInt(90) else random.nextInt(3)))
          (lo, hi)
        },
        random
      )
    }
  }

  test("a frame whose lower end never moves keeps one state") {
    val kept = check(Long.MaxValue, 500, position => (0L, position + 1), new Random(1))
    assert(kept.cells.isEmpty)
  }

  test("combines: 4 and a little an element amortised, and never more than a segment and 8") {
    for (width <- Seq(10, 100, 1000)) {
      val states = new Concatenations(0)
      val frames = fresh(states, new Cells, 16L)
      var worst = 0L
      for (position <- 0L until 5000L) {
        val before = states.combines
        frames.slide(math.max(0L, position - width + 1), position + 1)
        worst = math.max(worst, states.combines - before)
      }
      assert(worst <= 16 + 8, s"at width $width")
      assert(states.combines <= 5000 * 4.6, s"at width $width")
    }
  }

  test(
    "opening, sliding once and closing touches a constant number of cells, whatever the length of the frame"
  ) {
    for (width <- Seq(200, 2000, 20000)) {
      val cells = new Cells
      var kept: SegmentedFrames.Kept[String] = null
      var worst = 0
      for (position <- 0L until 3L * width) {
        val frames = fresh(new Concatenations(0, contents = false), cells, 16L)
        if (kept != null) frames.open(kept)
        cells.touched = 0
        frames.slide(math.max(0L, position - width + 1), position + 1)
        kept = frames.close()
        worst = math.max(worst, cells.touched)
      }
      assert(worst <= 16, s"at width $width")
      assert(cells.cells.size <= width / 16 + 4)
    }
  }

  test("what is dropped leaves no cell") {
    val cells = new Cells
    val frames = slid(cells, 100)
    frames.close()
    frames.drop()
    assert(cells.cells.isEmpty)
  }

  test("a middle that has been used up leaves no cell") {
    val cells = new Cells
    val kept = slid(cells, 100).close()
    assert(cells.cells.nonEmpty)
    val frames = fresh(new Concatenations(0), cells, 4L)
    frames.open(kept)
    frames.slide(99L, 101L)
    frames.close()
    assert(cells.cells.isEmpty)
  }

  test("states that come and go between two lives touch no cell") {
    val cells = new Cells
    slid(cells, 1000)
    assert(cells.touched == 0)
  }

  /** Frames of the last 50 elements that have slid over so many. */
  private def slid(cells: Cells, elements: Int): SegmentedFrames[String] = {
    val frames = fresh(new Concatenations(0), cells, 4L)
    for (position <- 0L until elements.toLong) frames.slide(math.max(0L, position - 49), position + 1)
    frames
  }

  private def check(
      segment: Long,
      elements: Int,
      frame: Long => (Long, Long),
      random: Random
  ): Cells = {
    val cells = new Cells
    var states = new Concatenations(0)
    var frames = fresh(states, cells, segment)
    for (position <- 0L until elements.toLong) {
      val (lo, hi) = frame(position)
      val slot = frames.slide(lo, hi)
      assert(states.copyOf(slot) == (lo until hi).map(i => s"$i,").mkString)
      if (random.nextInt(4) == 0) {
        val kept = frames.close()
        states = new Concatenations(lo)
        frames = fresh(states, cells, segment)
        frames.open(kept)
      }
    }
    cells
  }

  private def fresh(states: Concatenations, cells: Cells, segment: Long) =
    new SegmentedFrames(states, new DurableQueue(states, cells), segment)
}

object SegmentedFramesSuite {

  final class Cells extends CellStore[String] {
    val cells = mutable.Map.empty[Int, String]
    var touched = 0

    def load(cell: Int): String = {
      touched += 1
      cells(cell)
    }
    def save(cell: Int, state: String): Unit = {
      touched += 1
      cells(cell) = state
    }
    def remove(cell: Int): Unit = {
      assert(cells.contains(cell), s"cell $cell is removed, and was not there")
      touched += 1
      cells -= cell
    }
  }

  /**
   * Elements are their positions, and aggregates say which, in order.
   *
   * @param forgotten
   *   elements before this one cannot be read any more
   */
  final class Concatenations(forgotten: Long, contents: Boolean = true)
      extends Aggregator[String, String, String]
      with SegmentStates[String] {
    private val slots = mutable.Map.empty[Int, String]
    private var combined = 0L

    private def element(position: Long): String = {
      assert(position >= forgotten)
      if (contents) s"$position," else ""
    }

    def identity: String = ""
    def lift(in: String): String = in
    def combine(older: String, newer: String): String = {
      combined += 1
      older + newer
    }
    def lower(agg: String): String = agg

    def tryReserve(slots: Int): Boolean = true
    def reserve(slots: Int): Unit = ()
    def clear(slot: Int): Unit = slots(slot) = ""
    def accumulate(slot: Int, from: Long, until: Long): Unit = for (position <- from until until) {
      slots(slot) += element(position)
      combined += 1
    }
    def lift(first: Int, from: Long, until: Long): Unit =
      for (position <- from until until) slots(first + (position - from).toInt) = element(position)
    def combine(target: Int, older: Int, newer: Int): Unit = slots(target) =
      combine(slots(older), slots(newer))
    def combines: Long = combined
    def copyOf(slot: Int): String = slots(slot)
    def put(slot: Int, state: String): Unit = slots(slot) = state
  }
}
