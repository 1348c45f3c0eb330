package org.slidewise.core.frames

import munit.Assertions.{assert, fail}

/**
 * States that say which elements they aggregate: intervals, which concatenate only without gaps, overlaps or wrong order.
 *
 * @param grants
 *   whether so many slots fit in the memory
 * @param outgrows
 *   whether the states outgrow the slots that were granted, asked at each change of a state
 */
final private[frames] class Intervals(
    grants: Int => Boolean = _ => true,
    outgrows: () => Boolean = () => false
) extends FrameStates {
  import Intervals.Empty

  private var slots = Array.empty[(Long, Long)]
  private var combined = 0L
  private var addressable = 0
  private var isGranted = false

  /** The most slots that were addressable. */
  def reserved: Int = slots.length
  var oldestRead = Long.MaxValue
  var newestRead = -1L

  def apply(slot: Int): (Long, Long) = {
    val state = slots(addressed(slot))
    assert(state != null, s"slot $slot has no state")
    state
  }
  def combines: Long = combined

  /** The combines that `body` does. */
  def combinesOf(body: => Unit): Long = {
    val before = combined
    body
    combined - before
  }

  def tryReserve(n: Int): Boolean = grants(n) && {
    reserve(n)
    isGranted = true
    true
  }
  def reserve(n: Int): Unit = {
    slots = slots.padTo(n, null)
    addressable = math.max(addressable, n)
    isGranted = false
  }
  def clear(slot: Int): Unit = slots(addressed(slot)) = Empty
  def accumulate(slot: Int, from: Long, until: Long): Unit = {
    combined += until - from
    read(from, until)
    set(slot, concatenated(apply(slot), Intervals(from, until)))
  }
  def lift(first: Int, from: Long, until: Long): Unit = {
    read(from, until)
    (from until until).foreach(p => set(first + (p - from).toInt, (p, p + 1)))
  }
  def combine(target: Int, older: Int, newer: Int): Unit = {
    assert(target != newer)
    combined += 1
    set(target, concatenated(apply(older), apply(newer)))
  }

  private def read(from: Long, until: Long): Unit = {
    assert(from <= until)
    if (from < until) {
      oldestRead = math.min(oldestRead, from)
      newestRead = math.max(newestRead, until - 1)
    }
  }

  private def set(slot: Int, state: (Long, Long)): Unit = {
    if (isGranted && outgrows()) {
      java.util.Arrays.fill(slots.asInstanceOf[Array[AnyRef]], null)
      addressable = 0
      throw new StatesOutgrown
    }
    slots(addressed(slot)) = state
  }

  private def addressed(slot: Int): Int = {
    assert(slot < addressable, s"slot $slot of $addressable")
    slot
  }

  private def concatenated(older: (Long, Long), newer: (Long, Long)): (Long, Long) =
    if (older == Empty) newer
    else if (newer == Empty) older
    else if (older._2 == newer._1) (older._1, newer._2)
    else fail(s"$newer does not follow $older")
}

private[frames] object Intervals {
  private val Empty = (0L, 0L)

  /** The state of the elements at `from until until`. */
  def apply(from: Long, until: Long): (Long, Long) = if (from < until) (from, until) else Empty
}
