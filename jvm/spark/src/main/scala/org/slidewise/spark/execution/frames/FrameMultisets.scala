package org.slidewise.spark.execution.frames

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}
import org.slidewise.spark.plan.PlannedAggregate

/**
 * The multisets of the functions of one frame, and their memory.
 *
 * @param multisetOf
 *   the multiset of a function, which charges its memory
 */
final private[execution] class FrameMultisets[M <: FrameMultiset: ClassTag](
    aggregates: Seq[PlannedAggregate],
    resources: TaskResources,
    multisetOf: (PlannedAggregate, HeapMemory) => M
) {
  private[this] val memory = new HeapMemory(resources)
  private[this] val ordinals = aggregates.map(_.answer).toArray

  /** The multisets, in the order of the functions. */
  val all: Array[M] = aggregates.map(multisetOf(_, memory)).toArray

  def count: Int = all.length

  /** Throws [[NoMultiset]] if the frame must be recalculated. */
  def add(row: InternalRow): Unit = {
    var i = 0
    while (i < all.length) {
      all(i).add(row)
      i += 1
    }
  }

  /** Removes a row that has been added. */
  def remove(row: InternalRow): Unit = {
    var i = 0
    while (i < all.length) {
      all(i).remove(row)
      i += 1
    }
  }

  /** Writes the results for the current frame. */
  def writeTo(answers: InternalRow): Unit = {
    var i = 0
    while (i < all.length) {
      answers.update(ordinals(i), all(i).result)
      i += 1
    }
  }

  /** Removes all rows. Keeps the memory, unless some of it could not be charged. */
  def clear(): Unit = if (memory.isOvercommitted) releaseAll() else all.foreach(_.clear())

  /** Removes all rows, and gives all memory back. */
  def releaseAll(): Unit = {
    memory.releaseAll()
    all.foreach(_.clearAfterRelease())
  }

  def peakMemory: Long = memory.peakHeapMemory

  /** The bytes of the multisets if they do not fit in the task's memory, and therefore are not charged; otherwise 0. */
  def uncharged: Long = memory.uncharged
}
