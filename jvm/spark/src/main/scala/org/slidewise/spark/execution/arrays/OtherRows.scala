package org.slidewise.spark.execution.arrays

import java.lang.Long.compareUnsigned

import org.slidewise.core.batch.Frames
import org.slidewise.spark.execution.sorting.SortedColumns
import org.slidewise.spark.plan.Frame

/**
 * Rows whose frames hold rows of another table with the same keys. One scan of both tables finds all frames.
 *
 * Memory: four bytes and a bit for each row and distinct end of a frame, and eight bytes for each key.
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
   *   none if an end of a frame moves back from one row to a later row with the same keys, or if there is no memory for the keys
   */
  def of(
      rows: SortedColumns,
      elements: SortedColumns,
      frames: Seq[Frame],
      bounds: Frame.RowBound => Int
  ): Option[OtherRows] = {
    val groups = new ElementGroups(rows, elements)
    def scans(isLower: Boolean): Map[Frame.RowBound, EndScan] = {
      val sides =
        frames.map(rangeOf).map(r => if (isLower) r.lower -> r.upper else r.upper -> r.lower).distinct
      sides
        .map(_._1)
        .collect { case bound: Frame.RowBound => bound }
        .distinct
        .map { bound =>
          val others = sides.collect { case (`bound`, other) => other }
          val columns = others.collect { case other: Frame.RowBound => bounds(other) }
          val either = if (columns.size < others.size) Nil else columns
          bound -> new EndScan(bound, isLower, rows, elements, bounds(bound), either.toArray)
        }
        .toMap
    }
    val (lower, upper) = (scans(isLower = true), scans(isLower = false))
    val all = (lower.values ++ upper.values).toArray
    var rise = rows.acquire(groups.bytes)
    var from = 0
    while (rise && from < rows.order.size) {
      val until = rows.order.endOfPartition(from)
      val group = groups.of(from)
      rise = all.forall(_.scan(from, until, groups.from(group), groups.until(group)))
      from = until
    }
    def end(bound: Frame.Bound, scans: Map[Frame.RowBound, EndScan]) = bound match {
      case row: Frame.RowBound => scans(row).found
      case _                   => null
    }
    if (!rise) None
    else {
      val found = frames.map { frame =>
        val range = rangeOf(frame)
        frame -> new ValueFrames(end(range.lower, lower), end(range.upper, upper))
      }
      Some(new OtherRows(elements, groups, found.toMap))
    }
  }

  private def rangeOf(frame: Frame): Frame.Range = frame match {
    case range: Frame.Range => range
    case other              => throw new IllegalArgumentException(s"$other is no frame of another table")
  }
}

/** Finds the elements with the same keys as a row. Rows whose keys rise are found by one scan of the elements' keys. */
final private class ElementGroups(rows: SortedColumns, elements: SortedColumns) {
  private[this] val groupOfKey: GroupOfKey =
    if (rows.keyRanks == null) new GroupOfColumns(rows, elements, firstOf)
    else new GroupOfRank(rows, elements)

  // The element groups are in the order of their keys.
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

  /** The group of the row at `place`; -1 if no element has its keys. */
  def of(place: Int): Int =
    if (starts.length == 1) -1 else groupOfKey.of(rows.order.rows(place), starts.length - 1)

  private def firstOf(group: Int): Int = elements.order.rows(starts(group))

  /** In bytes. */
  def bytes: Long = 4L * starts.length + groupOfKey.bytes

  def from(group: Int): Int = if (group < 0) 0 else starts(group)
  def until(group: Int): Int = if (group < 0) 0 else starts(group + 1)
}

/** Finds the group with a row's key among groups that are in the order of their keys. */
private trait GroupOfKey {

  /** The group of the row with the number `row` among `groups` groups; -1 if there is none. */
  def of(row: Int, groups: Int): Int

  /** In bytes. */
  def bytes: Long
}

/** Groups by keys that are hashed. The first column of both sides holds the ranks of the keys. */
final private class GroupOfRank(rows: SortedColumns, elements: SortedColumns) extends GroupOfKey {
  private[this] val groupOfRank: Array[Int] = {
    val groups = Array.fill(rows.keyRanks.length)(-1)
    var number = 0
    while (number < elements.keyRanks.length) {
      groups(rows.keyRanks(number)) = elements.keyRanks(number)
      number += 1
    }
    groups
  }

  override def of(row: Int, groups: Int): Int = groupOfRank(rows.columns(0)(row).toInt)
  override def bytes: Long = 4L * groupOfRank.length
}

/**
 * Groups by keys that are columns of both sides.
 *
 * @param firstOf
 *   the number of a group's first element
 */
final private class GroupOfColumns(rows: SortedColumns, elements: SortedColumns, firstOf: Int => Int)
    extends GroupOfKey {
  private[this] var next = 0 // the first group whose key is not below that of the last row

  override def bytes: Long = 0L

  override def of(row: Int, groups: Int): Int = {
    if (next > 0 && compare(row, next - 1) <= 0) next = 0 // a row that has been passed is requested again
    var order = 1
    while (next < groups && order > 0) {
      order = compare(row, next)
      if (order > 0) next += 1
    }
    if (order == 0) next else -1
  }

  /** Compares the key of a row with that of a group. Nulls come first. */
  private def compare(row: Int, group: Int): Int = {
    val element = firstOf(group)
    var column, order = 0
    while (order == 0 && column < rows.orderColumn) {
      val isNull = rows.columns.isNull(column, row)
      val other = elements.columns.isNull(column, element)
      order =
        if (isNull || other) java.lang.Boolean.compare(other, isNull)
        else compareUnsigned(rows.columns(column)(row), elements.columns(column)(element))
      column += 1
    }
    order
  }
}

/**
 * One end of the frames of all rows, relative to the first element with the row's keys.
 *
 * @param places
 *   by the row's place
 * @param without
 *   the places of rows without a frame
 */
final private class FrameEnds(val places: Array[Int], val without: java.util.BitSet)

/**
 * The frames of the rows of one partition after the other. A row without a frame repeats the frame before: a wider one would be the
 * widest of the partition, and could overflow.
 *
 * @param starts
 *   the lower ends; null if frames start with the first element
 * @param ends
 *   the upper ends; null if frames end with the last element
 */
final private class ValueFrames(starts: FrameEnds, ends: FrameEnds) extends PartitionFrames {
  private[this] var lo, hi = Array.emptyIntArray
  private[this] var count = 0

  override def elements: Int = count
  def elements_=(number: Int): Unit = count = number

  override def nextWithout(row: Int): Int = {
    val place = math.min(nextWithout(starts, from + row), nextWithout(ends, from + row))
    if (place >= until) -1 else place - from
  }

  private def nextWithout(side: FrameEnds, place: Int): Int = {
    val next = if (side == null) -1 else side.without.nextSetBit(place)
    if (next < 0) Int.MaxValue else next
  }

  override protected def make(): Frames = {
    val size = until - from
    if (lo.length < size) {
      lo = new Array[Int](size)
      hi = new Array[Int](size)
    }
    if (ends == null) java.util.Arrays.fill(hi, 0, size, count)
    else System.arraycopy(ends.places, from, hi, 0, size)
    var i = 0
    while (i < size) {
      lo(i) = if (starts == null) 0 else math.min(starts.places(from + i), hi(i))
      i += 1
    }
    var without = nextWithout(0)
    while (without >= 0) {
      lo(without) = if (without == 0) 0 else lo(without - 1)
      hi(without) = if (without == 0) 0 else hi(without - 1)
      without = nextWithout(without + 1)
    }
    Frames.of(lo, hi, size, count)
  }

  override def widest: Int = frames.widest
  override def neverEmpty: Boolean = false
  override def complete: Int = until - from
  override def oldest(row: Int): Int = 0
}

/**
 * Finds one end of frames in one scan of the rows and the elements of each key.
 *
 * @param others
 *   the columns of the other bounds of these frames. A row in which they all are null has none of the frames, and its end may be
 *   anywhere. Empty if a frame has no other bound
 */
final private class EndScan(
    bound: Frame.RowBound,
    isLower: Boolean,
    rows: SortedColumns,
    elements: SortedColumns,
    column: Int,
    others: Array[Int]
) {
  val found = new FrameEnds(new Array[Int](rows.order.size), new java.util.BitSet)

  // 1 if elements that tie with the bound are before this end of the frame, otherwise 0.
  private[this] val ties = if (bound.isInside == isLower) 0 else 1

  /** Finds the ends for the rows at the places `from until until`. False if the end moves back. */
  def scan(from: Int, until: Int, first: Int, end: Int): Boolean = {
    val (numbers, bounds, ends) = (rows.order.rows, rows.columns(column), found.places)
    val nullable = rows.columns.anyNull(column)
    val mayLackOthers = others.nonEmpty && others.forall(rows.columns.anyNull(_))
    val (keys, size) = (elements.order.keys, end - first)
    var place = 0
    var i = from
    while (i < until && place >= 0) {
      val row = numbers(i)
      if (nullable && rows.columns.isNull(column, row)) found.without.set(i)
      else if (mayLackOthers && others.forall(rows.columns.isNull(_, row))) ()
      else if (place > 0 && compareUnsigned(keys(first + place - 1), bounds(row)) >= ties) place = -1
      else while (place < size && compareUnsigned(keys(first + place), bounds(row)) < ties) place += 1
      ends(i) = place
      i += 1
    }
    place >= 0
  }
}
