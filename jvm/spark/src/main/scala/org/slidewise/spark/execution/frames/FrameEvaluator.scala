package org.slidewise.spark.execution.frames

/** Evaluates the functions of one frame for one row after the other. */
private[execution] trait FrameEvaluator {

  /** Writes the answers for the current frame. */
  def evaluate(): Unit

  /** Begins a new partition. */
  def reset(): Unit

  def combines: Long

  /** Frames that were recalculated as Spark does, because merged buffers could have led to another result. */
  def recalculated: Long
  def peakMemory: Long

  /** Gives all memory back. */
  def close(): Unit
}
