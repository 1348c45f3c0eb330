package org.slidewise.spark.execution.frames

/** Answers functions for one frame after the other. */
private[execution] trait FrameAnswers {

  /** Writes the answers for the current frame into the results. */
  def evaluate(): Unit

  /** Begins a new partition. */
  def reset(): Unit

  def combines: Long
  def peakMemory: Long

  /** Gives all memory back. */
  def close(): Unit
}
