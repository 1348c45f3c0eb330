package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames._
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}
import org.slidewise.spark.execution.surroundings._
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.{RowWisePlan, SlidingWindowPlan}

/**
 * Assembles the row-wise evaluation of expressions: logs, bounds, evaluators and the iterator that drives them.
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
   *   how many of the first partition's rows have been handed out already
   */
  def start(
      rows: Iterator[InternalRow],
      task: WindowTask,
      answered: Int,
      surroundings: Surroundings
  ): Iterator[InternalRow] = {
    lazy val functions = new OutsideFunctions(window, input)
    def outside(rows: Outside) = if (rows.isEmpty) None else Some(new OutsideStates(functions, rows))
    val log = RowLog.of(needed, task.resources)
    val waiting = if (plan.answersAtOnce) None else Some(RowLog.of(input, task.resources))
    val factory = new TableBoundsFactory(window.orderSpec, needed, log, window.timeZone)
    val bounds = plan.frames.map(_.read).distinct.map(frame => frame -> factory.bounds(frame)).toMap
    val answers = new AnswerRow(plan)
    val evaluators = plan.frames.zipWithIndex.map { case (frame, index) =>
      FrameEvaluator.of(
        frame,
        index,
        bounds(frame.read),
        needed,
        () => log.reader(),
        task.resources,
        window.maxStateBytes,
        answers
      )
    }
    val iterator = new SlidingWindowIterator(
      rows,
      UnsafeProjection.create(needed.map(a => a: Expression), input),
      partitionKeys,
      log,
      waiting,
      bounds.values.toArray,
      evaluators.toArray,
      surroundings,
      outside(_),
      answers.row,
      outputProjection,
      task.measures,
      task.resources
    )
    task.onCompletion(() => iterator.close())
    iterator.pass(answered)
    iterator
  }

  def partitionKeys: PartitionKeys = PartitionKeys.of(window.partitionSpec, input)

  private def outputProjection: UnsafeProjection =
    UnsafeProjection.create(input ++ plan.resultExpressions, input ++ plan.answers)
}
