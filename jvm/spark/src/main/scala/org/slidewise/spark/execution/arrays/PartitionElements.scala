package org.slidewise.spark.execution.arrays

import org.slidewise.spark.execution.sorting.SortedColumns
import org.slidewise.spark.plan.Frame

/** The elements that frames can hold, for one partition after the other. */
private[arrays] trait PartitionElements {

  /** The columns of the elements. */
  def columns: SortedColumns

  /**
   * Moves to the elements of the rows at the places `first until last`. These rows are a partition, or the rest of a partition.
   *
   * @param isFirst
   *   whether the partition is the task's first
   * @param isLast
   *   whether the partition is the task's last, and its last row has arrived
   */
  def begin(first: Int, last: Int, isFirst: Boolean, isLast: Boolean): Unit

  /** Whether the elements belong to the task's first partition. Other tasks may then hold earlier elements of this partition. */
  def isFirst: Boolean

  /** Whether the elements belong to the task's last partition. Other tasks may then hold later elements of this partition. */
  def isLast: Boolean

  /** The place of the partition's first element. */
  def from: Int

  /** The number of the partition's elements. */
  def size: Int

  /** The frames of all functions. The keys are the results of [[ArrayWindow.reach]]. */
  def framesOf(window: ArrayWindow, peers: PartitionPeers): Map[Frame, PartitionFrames]
}

/** Rows whose frames hold rows of the same partition. */
final private[arrays] class OwnRows(val columns: SortedColumns) extends PartitionElements {
  private[this] var first, last = 0
  private[this] var atStart, atEnd = false

  override def begin(newFirst: Int, newLast: Int, isFirst: Boolean, isLast: Boolean): Unit = {
    first = newFirst
    last = newLast
    atStart = isFirst
    atEnd = isLast
  }

  override def isFirst: Boolean = atStart
  override def isLast: Boolean = atEnd

  override def from: Int = first
  override def size: Int = last - first

  override def framesOf(window: ArrayWindow, peers: PartitionPeers): Map[Frame, PartitionFrames] =
    window.framesOver(columns, peers)
}
