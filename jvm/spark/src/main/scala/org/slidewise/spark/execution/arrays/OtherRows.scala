package org.slidewise.spark.execution.arrays

import java.lang.Long.compareUnsigned

import org.slidewise.core.batch.Frames
import org.slidewise.spark.execution.sorting.SortedColumns
import org.slidewise.spark.plan.Frame

/**
 * Rows whose frames hold rows of another table with the same keys. One scan of both tables finds all frames.
 *
 * Memory: eight bytes and a bit for each row and frame, and eight bytes for each key.
 */
final private[arrays] class OtherRows private (
    val columns: SortedColumns,
    groups: ElementGroups,
    found: Map[Frame, ValueFrames]
) extends PartitionElements {
  private[this] var first, last = 0

  override def isFirst: Boolean = first == 0 && last > 0
  override def isLast: Boolean = last == columns.order.size && first < last

  override def begin(firstRow: Int, lastRow: Int, isFirst: Boolean, isLast: Boolean): Unit = {
    val group = groups.of(firstRow)
    first = groups.from(group)
    last = groups.until(group)
    found.values.foreach(_.elements = last - first)
  }

  override def from: Int = first
  override def size: Int = last - first
  override def framesOf(window: ArrayWindow, peers: PartitionPeers): Map[Frame, PartitionFrames] = found
}

private[arrays] object OtherRows {

  /**
   * @param bounds
   *   returns the number of a bound's column in `rows`
   * @return
   *   none if an end of a frame moves back from one row to a later row with the same keys
   */
  def of(
      rows: SortedColumns,
      elements: SortedColumns,
      frames: Seq[Frame],
      bounds: Frame.RowBound => Int
  ): Option[OtherRows] = {
    val groups = new ElementGroups(rows, elements)
    val found = frames.map(frame => frame -> new ValueFrames(rows.order.size))
    val scans = found.map { case (frame, into) => new FrameScan(frame, rows, elements, bounds, into) }
    var rise = true
    var from = 0
    while (rise && from < rows.order.size) {
      val until = rows.order.endOfPartition(from)
      val group = groups.of(from)
      rise = scans.forall(_.scan(from, until, groups.from(group), groups.until(group)))
      from = until
    }
    if (rise) Some(new OtherRows(elements, groups, found.toMap)) else None
  }
}

/** Finds the elements with the same keys as a row. */
final private class ElementGroups(rows: SortedColumns, elements: SortedColumns) {
  private[this] val ranked = rows.keyRanks != null

  // The element groups are in the order of their keys' ranks.
  private[this] val starts = {
    val found = Array.newBuilder[Int]
    var from = 0
    while (from < elements.order.size) {
      found += from
      from = elements.order.endOfPartition(from)
    }
    found += elements.order.size
    found.result()
  }

  private[this] val groupOfRank: Array[Int] =
    if (!ranked) null
    else {
      val groups = Array.fill(rows.keyRanks.length)(-1)
      var number = 0
      while (number < elements.keyRanks.length) {
        groups(rows.keyRanks(number)) = elements.keyRanks(number)
        number += 1
      }
      groups
    }

  /** The group of the row at `place`; -1 if no element has its keys. */
  def of(place: Int): Int =
    if (starts.length == 1) -1
    else if (ranked) groupOfRank(rows.columns(0)(rows.order.rows(place)).toInt)
    else 0

  def from(group: Int): Int = if (group < 0) 0 else starts(group)
  def until(group: Int): Int = if (group < 0) 0 else starts(group + 1)
}

/** The frames of the rows of one partition after the other. A `FrameScan` finds all frames in advance. */
final private class ValueFrames(rows: Int) extends PartitionFrames {
  val los, his = new Array[Int](rows)
  private[this] val withoutFrame = new java.util.BitSet
  private[this] var lo, hi = Array.emptyIntArray
  private[this] var count = 0

  override def elements: Int = count
  def elements_=(number: Int): Unit = count = number

  /** Marks the row at `place` as a row without a frame. */
  def leaveOut(place: Int): Unit = withoutFrame.set(place)

  override def nextWithout(row: Int): Int = {
    val place = withoutFrame.nextSetBit(from + row)
    if (place < 0 || place >= until) -1 else place - from
  }

  override protected def make(): Frames = {
    val size = until - from
    if (lo.length < size) {
      lo = new Array[Int](size)
      hi = new Array[Int](size)
    }
    System.arraycopy(los, from, lo, 0, size)
    System.arraycopy(his, from, hi, 0, size)
    Frames.of(lo, hi, size, count)
  }

  override def widest: Int = frames.widest
  override def neverEmpty: Boolean = false
  override def complete: Int = until - from
  override def oldest(row: Int): Int = 0
}

/**
 * Finds the ends of a frame in one scan of the rows and the elements of each key. The ends are relative to the key's first
 * element.
 */
final private class FrameScan(
    frame: Frame,
    rows: SortedColumns,
    elements: SortedColumns,
    bounds: Frame.RowBound => Int,
    into: ValueFrames
) {
  private[this] val (lower, upper) = frame match {
    case Frame.Range(lower, upper) => (boundOf(lower), boundOf(upper))
    case other => throw new IllegalArgumentException(s"$other is no frame of another table")
  }
  private[this] val lowerColumn = lower.fold(-1)(bounds)
  private[this] val upperColumn = upper.fold(-1)(bounds)

  // 1 if elements that tie with the bound are before this end of the frame, otherwise 0.
  private[this] val lowerTies = if (lower.exists(_.isInside)) 0 else 1
  private[this] val upperTies = if (upper.exists(_.isInside)) 1 else 0

  private def boundOf(bound: Frame.Bound): Option[Frame.RowBound] = bound match {
    case row: Frame.RowBound => Some(row)
    case _                   => None
  }

  /** Finds the frames of the rows at the places `from until until`. False if an end moves back. */
  def scan(from: Int, until: Int, first: Int, end: Int): Boolean = {
    val (numbers, keys, size) = (rows.order.rows, elements.order.keys, end - first)
    var lo, hi, start = 0
    var last = if (upperColumn < 0) size else 0
    var rise = true
    var i = from
    while (rise && i < until) {
      val row = numbers(i)
      val isNull = lowerColumn >= 0 && rows.columns.isNull(lowerColumn, row) ||
        upperColumn >= 0 && rows.columns.isNull(upperColumn, row)
      if (isNull) into.leaveOut(i)
      else {
        if (lowerColumn >= 0)
          start = moved(keys, first, size, start, rows.columns(lowerColumn)(row), lowerTies)
        if (upperColumn >= 0) last = moved(keys, first, size, last, rows.columns(upperColumn)(row), upperTies)
        rise = start >= 0 && last >= 0 && math.min(start, last) >= lo && last >= hi
        lo = math.min(start, last)
        hi = last
      }
      into.los(i) = lo
      into.his(i) = hi
      i += 1
    }
    rise
  }

  /** The first element from `at` on that is not before `bound`; -1 if the element before `at` is not before `bound`, either. */
  private def moved(keys: Array[Long], first: Int, size: Int, at: Int, bound: Long, ties: Int): Int =
    if (at > 0 && compareUnsigned(keys(first + at - 1), bound) >= ties) -1
    else {
      var place = at
      while (place < size && compareUnsigned(keys(first + place), bound) < ties) place += 1
      place
    }
}
