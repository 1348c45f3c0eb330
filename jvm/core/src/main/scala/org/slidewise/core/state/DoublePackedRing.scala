package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator
import org.slidewise.core.state.States.Registers

/**
 * Ring in one array with adjacent states, for operators with narrow states.
 *
 * States of one and of two cells have subclasses with cheaper cell indices. The subclasses repeat `combine`, because sharing it
 * here was measured to be slower.
 */
private[state] sealed abstract class DoublePackedRing(
    operator: InPlaceAggregator[Array[Double], _, _],
    lanes: Int,
    minCapacity: Int,
    widthShift: Int
) extends RingStates[Array[Double]](operator, lanes, minCapacity, 1 << widthShift) {

  private[this] val elementShift: Int = widthShift + laneShift
  private[this] val firstCell: Int = Registers << widthShift
  protected final var all: Array[Double] = new Array[Double](firstCell + (minCapacity << elementShift))
  (0 until Registers).foreach(register => operator.identity(all, register << widthShift))

  override final def runUpTo(position: Int): Int = (position & mask) + 1

  override final def suffixes(from: Int, count: Int): Unit =
    operator.suffixes(all, offset(slot(from)), 1 << widthShift, count)

  override final def clear(position: Int): Unit = {
    val slot = first(position)
    operator.clear(all, offset(slot))
    if (laneShift == 1) operator.clear(all, offset(slot + 1))
  }

  protected override final def move(front: Int, end: Int, capacity: Int): Unit = {
    val to = new Array[Double](firstCell + (capacity << elementShift))
    System.arraycopy(all, 0, to, 0, firstCell)
    val oldMask = (this.capacity << elementShift) - 1
    val newMask = (capacity << elementShift) - 1
    val until = end << elementShift
    var cell = front << elementShift
    while (cell != until) {
      to(firstCell + (cell & newMask)) = all(firstCell + (cell & oldMask))
      cell += 1
    }
    all = to
  }
}

private[state] object DoublePackedRing {
  private type Operator = InPlaceAggregator[Array[Double], _, _]

  def of(operator: Operator, lanes: Int, minCapacity: Int): DoublePackedRing =
    32 - Integer.numberOfLeadingZeros(operator.width - 1) match {
      case 0     => new OfOne(operator, lanes, minCapacity)
      case 1     => new OfTwo(operator, lanes, minCapacity)
      case shift => new OfMore(operator, lanes, minCapacity, shift)
    }

  private final class OfOne(combiner: Operator, lanes: Int, minCapacity: Int)
      extends DoublePackedRing(combiner, lanes, minCapacity, 0) {
    override def cells(slot: Int): Array[Double] = all
    override def offset(slot: Int): Int = slot
    override def combine(target: Int, older: Int, newer: Int): Unit = {
      val c = all
      combiner.combine(c, target, c, older, c, newer)
    }
  }

  private final class OfTwo(combiner: Operator, lanes: Int, minCapacity: Int)
      extends DoublePackedRing(combiner, lanes, minCapacity, 1) {
    override def cells(slot: Int): Array[Double] = all
    override def offset(slot: Int): Int = 2 * slot
    override def combine(target: Int, older: Int, newer: Int): Unit = {
      val c = all
      combiner.combine(c, 2 * target, c, 2 * older, c, 2 * newer)
    }
  }

  private final class OfMore(combiner: Operator, lanes: Int, minCapacity: Int, widthShift: Int)
      extends DoublePackedRing(combiner, lanes, minCapacity, widthShift) {
    override def cells(slot: Int): Array[Double] = all
    override def offset(slot: Int): Int = slot << widthShift
    override def combine(target: Int, older: Int, newer: Int): Unit = {
      val c = all
      combiner.combine(c, target << widthShift, c, older << widthShift, c, newer << widthShift)
    }
  }
}
