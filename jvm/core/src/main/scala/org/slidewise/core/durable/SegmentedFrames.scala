package org.slidewise.core.durable

import org.slidewise.core.frames.{FrameAlgorithm, FrameStates}

/** States in slots that can also be objects of their own. */
trait SegmentStates[A] extends FrameStates {

  /** A copy of the state in `slot`. */
  def copyOf(slot: Int): A

  /** Makes `slot` a copy of `state`. */
  def put(slot: Int, state: A): Unit
}

/**
 * Frames over elements that outlive the process: few states are kept, and few are touched, however long the frames are.
 *
 * The elements, which can be read again by position, are cut into segments at multiples of `segment`. A frame is the rest
 * of an old segment, whole segments, and the beginning of a new one:
 *   - the front, `lo until frontEnd`, within one segment: a state for each position, the aggregate from there to `frontEnd`;
 *   - the middle, `frontEnd until backStart`: a state for each segment, in a [[DurableQueue]] (DABA Lite);
 *   - the back, `backStart until hi`, within one segment: one state.
 *
 * While the middle stands still, a state of its own follows the elements of the middle and the back together: an element
 * is read twice then, which is cheaper than a combine where states are large, as sketches are.
 *
 * When a frame leaves the front behind, the oldest segment of the middle becomes the front; if there is none, the back
 * does. Between two lives only the positions, the back's state and the middle are kept: the front is made again from its
 * elements.
 *
 * Invariants, between calls:
 *   - S1: lo ≤ frontEnd ≤ backStart ≤ hi;
 *   - S2: a position of the front holds the aggregate from there to before `frontEnd`, once `expanded`;
 *   - S3: the middle holds one aggregate for each segment (the first may lack elements before `frontEnd`), and all of its
 *     segments end at a multiple of `segment`;
 *   - S4: [[SegmentedFrames.Back]] holds the aggregate of `backStart until hi`;
 *   - S5: [[SegmentedFrames.Rest]] holds the aggregate of `frontEnd until hi`, once `restIsKnown`.
 *
 * Combines for each element of frames that slide by one: 1 into the back, 1 into the rest, 1 at the turn of a segment, 1 to
 * answer, and of the middle at most 6 a segment; so 4 and a little amortised. The worst case is `segment + 8`, whatever the length of the
 * frame; opening costs `segment` at most. States in memory: `segment + 3`, and those of the middle that have been
 * touched; kept: 3 and one for each segment of the frame.
 *
 * @param segment
 *   elements in a segment; `Long.MaxValue` for frames whose lower end never moves, which then have a back only
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

  /** No element before this one will be read again. */
  def oldest: Long = lo

  /** The end of the last frame: up to here elements have been read into the back. */
  def newest: Long = hi

  def slide(newLo: Long, newHi: Long): Int = {
    if (newLo >= hi) restart(newLo)
    extend(newHi)
    if (newLo > frontEnd) turn(newLo)
    lo = newLo
    answer()
  }

  /** Leaves the store as it is: what follows belongs to other elements, and to other cells. */
  def reset(): Unit = {
    middle.reset()
    lo = 0L
    beginAt(0L)
  }

  /** Removes what is in the store. */
  def drop(): Unit = middle.clear()

  /** Nothing of the previous frame is left. */
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

  /** Writes the middle to its store and returns what [[open]] needs beside it and the state of the back. */
  def close(): SegmentedFrames.Kept[A] = {
    val queue = middle.close()
    SegmentedFrames.Kept(lo, frontEnd, backStart, hi, queue, states.copyOf(Back))
  }

  /** Goes on where other frames over the same elements and the same store were closed. */
  def open(kept: Kept[A]): Unit = {
    lo = kept.lo
    frontEnd = kept.frontEnd
    backStart = kept.backStart
    hi = kept.hi
    middle.open(kept.middle)
    states.put(Back, kept.back)
    restIsKnown = false
    expanded = false
  }
}

object SegmentedFrames {

  /** What is kept of frames beside the cells of their middle; `middle` are the queue's positions. */
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
