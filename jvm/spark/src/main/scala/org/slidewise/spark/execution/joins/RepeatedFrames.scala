package org.slidewise.spark.execution.joins

import org.slidewise.spark.execution.frames.{AnswerRow, FrameBounds, FrameRecalculation}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.RowWisePlan

/**
 * Evaluates the frames of left rows that stand for several equal left rows. Each right row counts once for each of them. n·m
 * combines for a frame of n rows and m equal left rows, as in Spark's join.
 */
final private[execution] class RepeatedFrames(
    plan: RowWisePlan,
    bounds: Seq[FrameBounds],
    elements: FrameElements,
    resources: TaskResources,
    maxStateBytes: Long,
    answers: AnswerRow
) {
  private[this] val frames = plan.frames.zip(bounds).map { case (frame, ends) =>
    ends -> new FrameRecalculation(frame.aggregates, elements, resources, maxStateBytes, answers.row)
  }

  /** Writes the answers for the current frames of a row that stands for `times` rows. */
  def evaluate(times: Long): Unit = frames.foreach { case (ends, frame) =>
    frame.evaluate(ends.lo, ends.hi, times)
  }

  def close(): Unit = frames.foreach(_._2.close())
}
