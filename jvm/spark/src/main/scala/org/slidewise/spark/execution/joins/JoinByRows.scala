package org.slidewise.spark.execution.joins

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames._
import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.surroundings._
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan._

/**
 * Evaluates windows over another table row by row. Both sides come in the order of their keys and times.
 *
 * @param expressions
 *   the windows to evaluate: all windows of `plan`, or some of them
 * @param left
 *   the attributes of a left row
 * @param right
 *   the attributes of a right row
 */
final private[joins] class JoinByRows(
    plan: WindowJoinPlan,
    expressions: RowWisePlan,
    left: Seq[Attribute],
    right: Seq[Attribute]
) {

  /** The left rows with their results. */
  def evaluate(
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow],
      task: WindowTask,
      around: SurroundingRows
  ): Iterator[InternalRow] = {
    val needed = expressions.neededAttributes(right, plan.window.orderSpec)
    val log = RowLog.of(needed, task.resources)
    val elements = new FrameElements(needed, () => log.reader())
    val found = new FrameFinders(elements)
    val finders = expressions.frames.map(_.frame).distinct.map(f => f -> found.ofOtherRows(f, left)).toMap
    val answers = new AnswerRow(expressions)
    val evaluators = expressions.frames.zipWithIndex.map { case (frame, index) =>
      FrameEvaluator.of(
        frame,
        index,
        finders(frame.frame),
        elements,
        task.resources,
        plan.window.maxStateBytes,
        answers
      )
    }
    val iterator = new WindowJoinIterator(
      JoinSides.of(plan.leftKeys, left, plan.rightKeys, right)(leftRows, rightRows),
      new JoinElements(
        UnsafeProjection.create(needed.map(a => a: Expression), right),
        log,
        finders.values.toArray,
        around
      ),
      new FrameEvaluators(evaluators.toArray, answers.row, surroundingStates),
      plan.times.map { times =>
        new Repetition(
          UnsafeProjection.create(Seq(times), left),
          new RepeatedFrames(
            expressions,
            expressions.frames.map(f => finders(f.frame)),
            elements,
            task.resources,
            plan.window.maxStateBytes,
            answers
          )
        )
      },
      UnsafeProjection.create(left ++ expressions.resultExpressions, left ++ expressions.answers),
      task
    )
    task.onCompletion(() => iterator.close())
    iterator
  }

  private def surroundingStates: PartialAggregate => Option[SurroundingStates] = {
    lazy val functions = new SurroundingFunctions(plan.window, right)
    rows => if (rows.isEmpty) None else Some(new SurroundingStates(functions, rows))
  }
}
