package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames._
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog, RowsAhead}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.surroundings._
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.{Frame, RowWisePlan, SlidingWindowPlan}

/**
 * Assembles the row-wise evaluation of expressions: logs, finders, evaluators and the iterator that drives them.
 *
 * @param window
 *   the window of the expressions
 */
final private[execution] class RowWisePipeline(
    window: SlidingWindowPlan,
    plan: RowWisePlan,
    input: Seq[Attribute]
) extends Serializable {

  /** The attributes of a row that frames and functions need. */
  private val needed = plan.neededAttributes(input, window.orderSpec)

  /**
   * @param answered
   *   the number of the first partition's rows that have been handed out already
   */
  def start(
      rows: Iterator[InternalRow],
      task: WindowTask,
      answered: Int,
      surroundings: SurroundingRows
  ): Iterator[InternalRow] = {
    val waiting = if (plan.answersAtOnce) None else Some(RowLog.of(input, task.resources))
    val frames = new Frames(task)
    val iterator = new SlidingWindowIterator(
      new RowsAhead(rows, () => RowLog.of(input, task.resources, RowLog.SmallPage)),
      PartitionKeys.of(window.partitionSpec, input),
      new FrameLogs(UnsafeProjection.create(needed.map(a => a: Expression), input), frames.log, waiting),
      frames.finders.values.toArray,
      frames.evaluators,
      surroundings,
      outputProjection,
      task
    )
    task.onCompletion(() => iterator.close())
    iterator.pass(answered)
    iterator
  }

  /**
   * Returns a function from the partial aggregate of a frame's rows, which must not be empty, to the results for this frame. The
   * function reuses the row that it returns.
   */
  def ofTotals(task: WindowTask): PartialAggregate => UnsafeRow = {
    val frames = new Frames(task)
    val results = UnsafeProjection.create(plan.resultExpressions, plan.answers)
    task.onCompletion { () =>
      task.measures.reportMemory(frames.peakMemory, spilled = 0L)
      task.measures.reportFrames(frames.evaluators.combines, recalculated = 0L, sorted = 0L)
      frames.close()
    }
    total => {
      frames.evaluators.reset()
      frames.evaluators.startAfter(total)
      frames.evaluators.evaluate()
      results(frames.evaluators.answers)
    }
  }

  private def surroundingStates: PartialAggregate => Option[SurroundingStates] = {
    lazy val functions = new SurroundingFunctions(window, input)
    rows => if (rows.isEmpty) None else Some(new SurroundingStates(functions, rows))
  }

  /** The log, the finders and the evaluators of a task's frames. */
  final private class Frames(task: WindowTask) {
    val log: RowLog = RowLog.of(needed, task.resources)
    private[this] val answers = new AnswerRow(plan)
    private[this] val elements = new FrameElements(needed, () => log.reader())
    private[this] val rows = new FrameFinders(elements)
    val finders: Map[Frame, FrameFinder] =
      plan.frames.map(_.read).distinct.map(frame => frame -> rows.over(window.orderSpec, frame)).toMap
    val evaluators: FrameEvaluators = new FrameEvaluators(
      plan.frames.zipWithIndex.map { case (frame, index) =>
        FrameEvaluator.of(
          frame,
          index,
          finders(frame.read),
          elements,
          task.resources,
          window.maxStateBytes,
          answers
        )
      }.toArray,
      answers.row,
      surroundingStates
    )

    def peakMemory: Long = log.peakMemory + evaluators.peakMemory

    def close(): Unit = {
      log.close()
      evaluators.close()
    }
  }

  private def outputProjection: UnsafeProjection =
    UnsafeProjection.create(input ++ plan.resultExpressions, input ++ plan.answers)
}
