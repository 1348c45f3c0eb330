package org.slidewise.spark.execution.arrays

import org.slidewise.core.batch.Frames
import org.slidewise.spark.execution.sorting.{SortedColumns, SortKey}

/** The frames of one partition after the other; made when first asked for, then kept for the partition. */
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

  /** The widest frame of the partition, in rows. */
  def widest: Int

  /** Whether no frame can be empty. */
  def neverEmpty: Boolean
}

final private[arrays] class RowsFrames(val lower: Int, val upper: Int) extends PartitionFrames {
  override protected def make(): Frames = Frames.rows(until - from, lower, upper)
  override def widest: Int = math.min(until - from.toLong, upper.toLong - lower + 1).toInt
  override def neverEmpty: Boolean = lower <= 0 && upper >= 0
}

final private[arrays] class RangeOfKeys(sorted: SortedColumns, key: SortKey, lower: EndKeys, upper: EndKeys)
    extends PartitionFrames {
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
}
