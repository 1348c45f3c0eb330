package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

/** Evaluates the functions of one frame for one row of a key after the other; its state is kept from batch to batch. */
private[streams] trait StreamFrameEvaluator {

  /** Where the frames are. */
  def bounds: StreamBounds

  /** The oldest position that is still to be read. */
  def needs: Long

  /** Writes the answers for the frame that `bounds` has moved to. */
  def evaluate(): Unit

  def combines: Long

  /** Begins a key of which nothing is kept. */
  def reset(): Unit

  /** Removes what is kept of the key in cells of its own. */
  def drop(): Unit

  /** Writes what [[reopen]] needs beside those cells. */
  def writeTo(out: StateWriter): Unit

  /** Goes on with a key where it was written. */
  def reopen(in: ByteBuffer): Unit

  /** Gives all memory back. */
  def close(): Unit
}
