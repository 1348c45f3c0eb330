package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.slidewise.spark.execution.frames.{FrameEvaluator, FrameFinder}

/**
 * Evaluates frames from their rows, which are the only state. In each batch, `evaluator` reads all rows of the first frame of a key
 * again.
 */
final private[streams] class StreamRowsEvaluator(
    evaluator: FrameEvaluator,
    override val bounds: FrameFinder
) extends StreamFrameEvaluator {
  override def oldestNeeded: Long = bounds.lo
  override def evaluate(): Unit = evaluator.evaluate()
  override def combines: Long = evaluator.combines

  override def reset(): Unit = {
    bounds.reset()
    evaluator.reset()
  }

  override def drop(): Unit = ()
  override def writeTo(out: StateWriter): Unit = StreamFrameEvaluator.writeBounds(bounds, out)

  override def reopen(in: ByteBuffer): Unit = {
    StreamFrameEvaluator.readBounds(bounds, in)
    evaluator.reset()
  }

  override def close(): Unit = evaluator.close()
}
