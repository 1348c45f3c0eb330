package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.frames.{FrameFinder, FrameSummaries}
import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.FramePlan

/**
 * Evaluates functions of the last rows from summaries, which are the only state: a few hundred bytes a key.
 *
 * @param bounds
 *   the bounds of frames of the current row alone
 */
final private[streams] class StreamSummaryEvaluator(
    plan: FramePlan,
    override val bounds: FrameFinder,
    input: Seq[Attribute],
    rows: RowsByPosition,
    resources: TaskResources,
    answers: InternalRow
) extends StreamFrameEvaluator {
  private[this] val summaries = new FrameSummaries(plan, input, resources, answers)

  override def oldestNeeded: Long = bounds.lo
  override def evaluate(): Unit = summaries.evaluate(rows(bounds.lo))
  override def combines: Long = 0L

  override def reset(): Unit = {
    bounds.reset()
    summaries.reset()
  }

  override def drop(): Unit = ()

  override def writeTo(out: StateWriter): Unit = {
    StreamFrameEvaluator.writeBounds(bounds, out)
    summaries.serialized.foreach(out.bytes)
  }

  override def reopen(in: ByteBuffer): Unit = {
    StreamFrameEvaluator.readBounds(bounds, in)
    try summaries.deserialize(() => StateWriter.readBytes(in))
    catch { case e: IllegalArgumentException => throw new CorruptState(e.getMessage) }
  }

  override def close(): Unit = summaries.close()
}
