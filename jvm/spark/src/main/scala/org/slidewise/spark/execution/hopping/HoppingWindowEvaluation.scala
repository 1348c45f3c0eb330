package org.slidewise.spark.execution.hopping

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.frames._
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}
import org.slidewise.spark.execution.states.{ElementKind, FrameElements}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{EvaluationMethod, HoppingWindowPlan}

/**
 * Evaluates hopping windows in a task. Assembles the log of panes, their frames, the evaluators and the iterator that drives them.
 *
 * @param input
 *   the columns of an input row: [[HoppingWindowPlan.partial]] and, if present, `selection.touched`
 * @param selection
 *   the windows to evaluate
 */
final private[execution] class HoppingWindowEvaluation(
    plan: HoppingWindowPlan,
    input: Seq[Attribute],
    selection: WindowSelection
) extends Serializable {
  private val elements = plan.pane +: plan.buffers
  private val firstBuffers = plan.aggregates.scanLeft(1)(_ + _.aggregateFunction.aggBufferAttributes.size)
  private val windows = new WindowColumns(plan)
  private val touched = selection.touched.map(column => input.indexWhere(_.exprId == column.exprId))

  def evaluate(
      partials: Iterator[InternalRow],
      context: TaskContext,
      metrics: Map[String, SQLMetric]
  ): Iterator[InternalRow] = {
    val resources = new TaskResources(context)
    val log = RowLog.of(elements, resources)
    val answers = new SpecificInternalRow(plan.answers.map(_.dataType))
    val output =
      UnsafeProjection.create(plan.output.results.map(windows.inFields), windows.group ++ plan.answers)
    output.initialize(context.partitionId())
    val panes = new PanesByKey(
      partials,
      PartitionKeys.of(plan.keys, input),
      UnsafeProjection.create(elements, input),
      input.indexWhere(_.exprId == plan.pane.exprId),
      touched,
      log
    )
    val frames = new PaneFrames(plan.windows, selection, panes)
    val iterator = new HoppingWindowIterator(
      panes,
      frames,
      log,
      new FrameEvaluators(evaluators(frames, log, answers, resources).toArray, answers),
      windows.condition,
      output,
      new HoppingMeasures(metrics, resources),
      resources
    )
    context.addTaskCompletionListener[Unit](_ => iterator.close())
    iterator
  }

  private def evaluators(
      frames: PaneFrames,
      log: RowLog,
      answers: InternalRow,
      resources: TaskResources
  ): Seq[FrameEvaluator] = plan.frames.map { frame =>
    val fields = frame.aggregates.map(a => firstBuffers(a.answer))
    val partials =
      new FrameElements(elements, () => log.reader(), ElementKind.PartialAggregates(fields))
    if (frame.method == EvaluationMethod.SlidingMultiset) {
      val fieldOf = frame.aggregates.zip(fields).toMap
      new MultisetEvaluator(
        frame,
        frames,
        partials,
        resources,
        plan.maxStateBytes,
        answers,
        (aggregate, memory) =>
          new PartialQuantiles(aggregate.description.multisetOfPartials.get, fieldOf(aggregate), memory)
      )
    } else
      new BufferEvaluator(
        frame,
        frames,
        partials,
        resources,
        plan.maxStateBytes,
        answers,
        firstGuard = plan.answers.size
      )
  }
}
