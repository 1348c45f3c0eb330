package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.slidewise.spark.execution.frames.AnswersAsSpark

/** Answers each frame from its rows: for functions whose states are the rows, and for frames so short that it is faster. */
final private[streams] class StreamRecalculation(answers: AnswersAsSpark, override val bounds: StreamBounds)
    extends StreamFrameAnswers {
  override def needs: Long = bounds.lo
  override def evaluate(): Unit = answers.evaluate(bounds.lo, bounds.hi)
  override def combines: Long = answers.combines

  override def reset(): Unit = {
    bounds.moveTo(0L, 0L)
    answers.reset()
  }

  override def drop(): Unit = ()
  override def writeTo(out: StateWriter): Unit = bounds.writeTo(out)

  override def reopen(in: ByteBuffer): Unit = {
    bounds.reopen(in)
    answers.reset()
  }

  override def close(): Unit = answers.close()
}
