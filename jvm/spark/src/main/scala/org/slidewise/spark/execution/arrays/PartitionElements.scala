package org.slidewise.spark.execution.arrays

import org.slidewise.spark.execution.sorting.SortedColumns
import org.slidewise.spark.plan.Frame

/** The elements of the frames of one partition's rows after the other. */
private[arrays] trait PartitionElements {

  /** The columns of the elements. */
  def columns: SortedColumns

  /** Turns to the elements of the rows at the places `first until last`, which are a partition or the rest of one. */
  def begin(first: Int, last: Int): Unit

  /** The place of the partition's first element. */
  def from: Int

  /** The number of the partition's elements. */
  def size: Int

  /** The frames of all functions. The keys are those of [[ArrayWindow.reach]]. */
  def framesOf(window: ArrayWindow, peers: PartitionPeers): Map[Frame, PartitionFrames]
}

/** Rows whose frames hold rows of the same partition. */
final private[arrays] class OwnRows(val columns: SortedColumns) extends PartitionElements {
  private[this] var first, last = 0

  override def begin(newFirst: Int, newLast: Int): Unit = {
    first = newFirst
    last = newLast
  }

  override def from: Int = first
  override def size: Int = last - first

  override def framesOf(window: ArrayWindow, peers: PartitionPeers): Map[Frame, PartitionFrames] =
    window.framesOver(columns, peers)
}
