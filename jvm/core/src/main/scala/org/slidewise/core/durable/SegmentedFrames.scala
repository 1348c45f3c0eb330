package org.slidewise.core.durable

import org.slidewise.core.frames.{FrameAlgorithm, FrameStates}

/** Frame states that can be copied to and from separate objects. */
trait SegmentStates[A] extends FrameStates {

  /** A copy of the state in `slot`. */
  def copyOf(slot: Int): A

  /** Copies `state` to `slot`. */
  def put(slot: Int, state: A): Unit
}

/**
 * Frames over elements in a store. Persists one state for each segment of elements, and accesses O(1) states for each element,
 * independent of the length of the frames.
 *
 * The elements can be read again by position, and are divided into segments at multiples of `segment`. A frame is the end of an
 * old segment, whole segments, and the beginning of a new segment:
 *   - the front, `lo until frontEnd`, within one segment: a state for each position, the aggregate from it to `frontEnd`;
 *   - the middle, `frontEnd until backStart`: a state for each segment, in a [[DurableQueue]] (DABA Lite);
 *   - the back, `backStart until hi`, within one segment: one state.
 *
 * While the middle does not change, one further state aggregates the middle and the back. Each element is then read twice,
 * which is cheaper than a combine of large states such as sketches.
 *
 * When a frame leaves the front, the oldest segment of the middle becomes the front, or the back if the middle is empty.
 * [[close]] stores only the positions, the state of the back and the middle. After [[open]] the front is computed again from
 * its elements.
 *
 * Invariants, between calls:
 *   - S1: lo ≤ frontEnd ≤ backStart ≤ hi;
 *   - S2: if `expanded`, a position of the front holds the aggregate from it to before `frontEnd`;
 *   - S3: the middle holds one aggregate for each segment, and all of its segments end at a multiple of `segment`; the first
 *     may lack elements before `frontEnd`;
 *   - S4: [[SegmentedFrames.Back]] holds the aggregate of `backStart until hi`;
 *   - S5: if `restIsKnown`, [[SegmentedFrames.Rest]] holds the aggregate of `frontEnd until hi`.
 *
 * Combines for each element of frames that slide by one: 1 into the back, 1 into the rest, 1 at the turn of a segment, 1 for the
 * result, and at most 6 for each segment of the middle; slightly above 4 amortised. The worst case is `segment + 8`, for any
 * length of the frame. Opening costs at most `segment`. States in memory: `segment + 3`, and those that the [[DurableQueue]]
 * caches. States in the store: 3, and one for each segment of the frame. Not safe for concurrent use.
 *
 * @param segment
 *   the number of elements in a segment; `Long.MaxValue` for frames whose lower end never moves, which have a back only
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", sections 4 and 6
 */
final class SegmentedFrames[A <: AnyRef](states: SegmentStates[A], middle: DurableQueue[A], segment: Long)
    extends FrameAlgorithm {
  import SegmentedFrames._

  private[this] var lo, frontEnd, backStart, hi = 0L
  private[this] var frontStart = 0L
  private[this] var expanded = true
  private[this] var restIsKnown = false

  states.reserve(if (segment == Long.MaxValue) FirstFront else Math.toIntExact(FirstFront + segment))
  states.clear(Back)

  /** The position before which no element will be read again. */
  def oldest: Long = lo

  /** The end of the last frame. All elements before it have been read into the back. */
  def newest: Long = hi

  def slide(newLo: Long, newHi: Long): Int = {
    if (newLo >= hi) restart(newLo)
    extend(newHi)
    if (newLo > frontEnd) turn(newLo)
    lo = newLo
    answer()
  }

  /** Drops all state from memory and leaves the store unchanged: the next frame belongs to other elements and other cells. */
  def reset(): Unit = {
    middle.reset()
    lo = 0L
    beginAt(0L)
  }

  /** Removes all cells from the store. */
  def drop(): Unit = middle.clear()

  /** The frame has no element of the previous one. */
  private def restart(at: Long): Unit = {
    middle.clear()
    beginAt(at)
  }

  private def beginAt(position: Long): Unit = {
    restIsKnown = false
    states.clear(Back)
    frontEnd = position
    backStart = position
    hi = position
    expanded = true
  }

  private def extend(newHi: Long): Unit = while (hi < newHi) {
    val end = endOfSegment(hi)
    val until = math.min(end, newHi)
    states.accumulate(Back, hi, until)
    if (restIsKnown && until < end) states.accumulate(Rest, hi, until)
    hi = until
    if (until == end) {
      middle.insert(states.copyOf(Back))
      restIsKnown = false
      states.clear(Back)
      backStart = end
    }
  }

  private def turn(newLo: Long): Unit = {
    while (frontEnd < backStart && endOfSegment(frontEnd) <= newLo) evictSegment()
    if (frontEnd == backStart) {
      expand(newLo, hi)
      states.clear(Back)
      frontEnd = hi
      backStart = hi
    } else {
      expand(newLo, endOfSegment(frontEnd))
      evictSegment()
    }
  }

  private def evictSegment(): Unit = {
    middle.evict()
    restIsKnown = false
    frontEnd = endOfSegment(frontEnd)
  }

  private def expand(from: Long, until: Long): Unit = {
    frontStart = from
    expanded = true
    states.lift(FirstFront, from, until)
    var slot = FirstFront + (until - from).toInt - 1
    while (slot > FirstFront) {
      slot -= 1
      states.combine(slot, slot, slot + 1)
    }
  }

  private def answer(): Int = {
    var sum = None
    if (lo < frontEnd) {
      if (!expanded) expand(lo, frontEnd)
      sum = FirstFront + (lo - frontStart).toInt
    }
    if (frontEnd < backStart) {
      if (!restIsKnown) joinRest()
      plus(sum, Rest)
    } else if (backStart < hi || sum == None) plus(sum, Back)
    else sum
  }

  private def joinRest(): Unit = {
    states.put(Rest, middle.query())
    if (backStart < hi) states.combine(Rest, Rest, Back)
    restIsKnown = true
  }

  private def plus(older: Int, newer: Int): Int = if (older == None) newer
  else {
    states.combine(Answer, older, newer)
    Answer
  }

  private def endOfSegment(position: Long): Long =
    if (segment == Long.MaxValue) Long.MaxValue else (position / segment + 1) * segment

  /** Saves the middle to its store and returns the positions and the state of the back, for [[open]]. */
  def close(): SegmentedFrames.Kept[A] = {
    val queue = middle.close()
    SegmentedFrames.Kept(lo, frontEnd, backStart, hi, queue, states.copyOf(Back))
  }

  /**
   * Continues frames over the same elements and the same store that were closed with `kept`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if no frames can be closed with these positions
   */
  def open(kept: Kept[A]): Unit = {
    lo = kept.lo
    frontEnd = kept.frontEnd
    backStart = kept.backStart
    hi = kept.hi
    middle.open(kept.middle)
    check()
    states.put(Back, kept.back)
    restIsKnown = false
    expanded = false
  }

  /** S1, and S3 as far as the number of segments goes. */
  private def check(): Unit = {
    val ordered = 0 <= lo && lo <= frontEnd && frontEnd <= backStart && backStart <= hi
    if (
      !ordered || lo < frontEnd && frontEnd > endOfSegment(lo) || hi > endOfSegment(backStart) ||
      backStart / segment - frontEnd / segment != middle.size
    )
      throw new IllegalArgumentException(
        s"kept has the positions $lo, $frontEnd, $backStart and $hi and ${middle.size} segments: they must be those of frames"
      )
  }
}

object SegmentedFrames {

  /** The state of closed frames, beside the cells of their middle. `middle` has the positions of the queue. */
  final case class Kept[A](
      lo: Long,
      frontEnd: Long,
      backStart: Long,
      hi: Long,
      middle: Array[Int],
      back: A
  )

  private val None = -1
  private[durable] val Back = 0
  private val Answer = 1
  private[durable] val Rest = 2
  private val FirstFront = 3
}
