package org.slidewise.spark.execution.python

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.frames.FrameBounds
import org.slidewise.spark.execution.rows.RowsByPosition

/**
 * Creates the rows that are sent to Python for one left row after the other: first the elements of its frames that were not sent
 * before, then the ends of its frames.
 *
 * Python numbers elements in the order of arrival, and expects ends of frames that never move back. If an end moves back, the
 * elements of the left row are sent again.
 *
 * Cost: each element is sent once if no end of a frame moves back, and otherwise once more for each left row that breaks the
 * order.
 *
 * @param element
 *   projects an element to a row for Python, without ends of frames
 * @param nulls
 *   computes the row for Python of an element that has only nulls, which may fail; none if an empty frame has no elements
 * @param ends
 *   projects the ends of frames to a row for Python, without an element
 * @param read
 *   the places of the frames whose ends Python reads
 */
final private class ElementsForPython(
    element: Projection,
    nulls: Option[() => InternalRow],
    ends: Projection,
    rows: RowsByPosition,
    frames: Array[_ <: FrameBounds],
    read: Array[Int]
) extends AbstractIterator[InternalRow] {
  private[this] val numbers = new SpecificInternalRow(Seq.fill(2 * frames.length)(LongType))
  private[this] val lastLo, lastHi = new Array[Long](frames.length)
  private[this] var sent = 0L // elements, of all keys
  private[this] var origin, first = 0L // the position of an element, and its number
  private[this] var position, end = 0L // of the next element to send, and of the last
  private[this] var copies = 1L // of each element
  private[this] var current: InternalRow = _
  private[this] var copiesLeft = 0L
  private[this] var endsLeft, isBroken = false
  private[this] lazy val rowOfNulls = nulls.get.apply()

  /**
   * Begins the next left row.
   *
   * @param times
   *   the number of equal left rows that the row stands for. Each element is sent once for each of them
   * @param isOfNewKey
   *   whether positions start at 0 again
   */
  def begin(times: Long, isOfNewKey: Boolean): Unit = {
    val lo = read.map(frames(_).lo).min
    end = read.map(frames(_).hi).max
    val isOfNulls = nulls.isDefined && lo == end
    if (isOfNewKey || isOfNulls || isBroken || times != copies || lo >= position || movesBack)
      restart(lo, times)
    isBroken = isOfNulls
    if (isOfNulls) {
      current = rowOfNulls
      copiesLeft = times
    }
    read.foreach { i =>
      lastLo(i) = frames(i).lo
      lastHi(i) = frames(i).hi
      numbers.setLong(2 * i, numberOf(lastLo(i)))
      numbers.setLong(2 * i + 1, numberOf(lastHi(i)) + copiesLeft)
    }
    endsLeft = true
  }

  override def hasNext: Boolean = endsLeft

  override def next(): InternalRow =
    if (copiesLeft > 0) send()
    else if (position < end) {
      current = element(rows(position))
      position += 1
      copiesLeft = copies
      send()
    } else if (endsLeft) {
      endsLeft = false
      ends(numbers)
    } else throw new NoSuchElementException("the left row has no more rows")

  private def send(): InternalRow = {
    copiesLeft -= 1
    sent += 1
    current
  }

  private def movesBack: Boolean =
    read.exists(i => frames(i).lo < lastLo(i) || frames(i).hi < lastHi(i))

  private def restart(at: Long, times: Long): Unit = {
    origin = at
    first = sent
    position = at
    copies = times
  }

  private def numberOf(at: Long): Long = first + (at - origin) * copies
}
