package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.slidewise.spark.execution.frames.{FrameBounds, FrameEvaluator, FrameFinder}

/** The cells of a key in which one frame keeps its state. */
final private[streams] case class FrameCells(cells: KeyCells, section: Int)

/** Evaluates the functions of one frame for one row of a key after the other, and keeps its state from batch to batch. */
private[streams] trait StreamFrameEvaluator extends FrameEvaluator {

  /** The finder of the frames. */
  def bounds: FrameFinder

  /** Removes the key's cells of this frame. */
  def drop(): Unit

  /** Writes the part of the state that [[reopen]] reads. The frame's cells hold the rest. */
  def writeTo(out: StateWriter): Unit

  /** Continues a key from its written state. */
  def reopen(in: ByteBuffer): Unit
}

private[streams] object StreamFrameEvaluator {
  def writeBounds(bounds: FrameBounds, out: StateWriter): Unit = {
    out.long(bounds.lo)
    out.long(bounds.hi)
  }

  def readBounds(bounds: FrameFinder, in: ByteBuffer): Unit = bounds.moveTo(in.getLong(), in.getLong())
}
