package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.slidewise.spark.execution.frames.FrameRecalculation

/** Recalculates each frame from its rows. */
final private[streams] class StreamRecalculatingEvaluator(
    recalculation: FrameRecalculation,
    override val bounds: StreamBounds
) extends StreamFrameEvaluator {
  override def needs: Long = bounds.lo
  override def evaluate(): Unit = recalculation.evaluate(bounds.lo, bounds.hi)
  override def combines: Long = recalculation.combines

  override def reset(): Unit = {
    bounds.moveTo(0L, 0L)
    recalculation.reset()
  }

  override def drop(): Unit = ()
  override def writeTo(out: StateWriter): Unit = bounds.writeTo(out)

  override def reopen(in: ByteBuffer): Unit = {
    bounds.reopen(in)
    recalculation.reset()
  }

  override def close(): Unit = recalculation.close()
}
