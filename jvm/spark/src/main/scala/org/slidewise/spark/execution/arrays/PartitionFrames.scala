package org.slidewise.spark.execution.arrays

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.{PeerGroups, Validity}
import org.slidewise.spark.execution.sorting.{RowOrder, SortedColumns, SortKey}

/** The frames of one partition after the other; computed when first read, then kept for the partition. */
abstract private[arrays] class PartitionFrames {
  private[this] var made: Frames = _
  protected var from, until = 0

  def begin(newFrom: Int, newUntil: Int): Unit = {
    from = newFrom
    until = newUntil
    made = null
  }

  final def frames: Frames = {
    if (made == null) made = make()
    made
  }

  protected def make(): Frames

  /** The number of elements that frames can hold. */
  def elements: Int = until - from

  /** The widest frame of the partition, in rows. */
  def widest: Int

  /** Whether no frame can be empty. */
  def neverEmpty: Boolean

  /**
   * The first row from `row` on that has no frame; -1 if there is none. The row has the result of an empty frame, whatever
   * its entry in [[frames]] is. The entry does not move back from the previous one.
   */
  def nextWithout(row: Int): Int = -1

  /** The number of leading frames that do not change if more rows arrive. */
  def complete: Int

  /** The oldest row that the frames from the `row`th row on reach; the `row`th row itself if it is older. */
  def oldest(row: Int): Int
}

final private[arrays] class RowsFrames(val lower: Int, val upper: Int) extends PartitionFrames {
  override protected def make(): Frames = Frames.rows(until - from, lower, upper)
  override def widest: Int = math.max(0L, math.min(until - from.toLong, upper.toLong - lower + 1)).toInt
  override def neverEmpty: Boolean = lower <= 0 && upper >= 0
  override def complete: Int = math.max(0, until - from - math.max(upper, 0))
  override def oldest(row: Int): Int = math.max(0, row + math.min(lower, 0))
}

/** The groups of rows that tie in one partition after the other; computed when first read, then kept for the partition. */
final private[arrays] class PartitionPeers(order: RowOrder) {
  private[this] var words: Array[Long] = _
  private[this] var made: PeerGroups = _
  private[this] var from, until = 0

  def begin(newFrom: Int, newUntil: Int): Unit = {
    from = newFrom
    until = newUntil
    made = null
  }

  def groups: PeerGroups = {
    if (made == null) {
      words = PartitionColumn.room(words, Validity.words(until - from))
      order.markPeers(from, until, words)
      made = new PeerGroups(words, until - from)
    }
    made
  }
}

/** RANGE frames from the first row of the partition or of the current row's peers to the last. */
final private[arrays] class PeerFrames(peers: PartitionPeers, fromFirstRow: Boolean, toLastRow: Boolean)
    extends PartitionFrames {
  override protected def make(): Frames = peers.groups.frames(fromFirstRow, toLastRow)
  override def widest: Int = frames.widest
  override def neverEmpty: Boolean = true

  override def complete: Int = {
    var n = until - from
    while (n > 0 && frames.hi(n - 1) == until - from) n -= 1
    n
  }

  // Peer groups are computed again when more rows have arrived, so all rows of a group must be kept.
  override def oldest(row: Int): Int =
    if (fromFirstRow) 0 else math.min(row, frames.lo(math.min(row, until - from - 1)))
}

final private[arrays] class KeyRangeFrames(
    sorted: SortedColumns,
    key: SortKey,
    lower: BoundKeys,
    upper: BoundKeys
) extends PartitionFrames {
  override protected def make(): Frames =
    RangeFrames.of(
      sorted.order.keys,
      from,
      until,
      sorted.order.nulls(from, until),
      key.nullsFirst,
      lower,
      upper
    )
  override def widest: Int = frames.widest
  override def neverEmpty: Boolean = false

  override def complete: Int = {
    var n = until - from
    while (n > 0 && frames.hi(n - 1) == until - from) n -= 1
    n
  }

  override def oldest(row: Int): Int = {
    val at = math.min(row, until - from - 1)
    val found = frames
    val ofEnds = math.min(firstAt(lower, at)(found.lo(_)), firstAt(upper, at)(found.hi(_)))
    math.min(row, math.min(found.lo(at), ofEnds))
  }

  /** The first row with the end of a row's frame: ends never move back, so that it may be this row that has found the end. */
  private def firstAt(bound: BoundKeys, row: Int)(end: Int => Int): Int = {
    var first = row
    if (bound != null && bound.mayDecrease) while (first > 0 && end(first - 1) == end(row)) first -= 1
    first
  }
}
