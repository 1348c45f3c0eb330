package org.slidewise.spark.execution.hopping

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType

import org.slidewise.spark.execution.frames.{BufferEvaluator, FrameEvaluator}
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.HoppingWindowPlan

/**
 * Assembles the evaluation of hopping windows in a task: the log of panes, their frames, the evaluators and the iterator that
 * drives them.
 *
 * @param input
 *   the columns of a partial aggregate
 */
final private[execution] class HoppingWindowEvaluation(plan: HoppingWindowPlan, input: Seq[Attribute])
    extends Serializable {
  private val elements = plan.pane +: plan.buffers
  private val firstBuffers = plan.aggregates.scanLeft(1)(_ + _.aggregateFunction.aggBufferAttributes.size)
  private val bounds = plan.window.dataType.asInstanceOf[StructType].fields.toSeq.map { field =>
    AttributeReference(field.name, field.dataType, nullable = false)()
  }
  private val group = plan.keys ++ bounds

  def evaluate(
      partials: Iterator[InternalRow],
      context: TaskContext,
      metrics: Map[String, SQLMetric]
  ): Iterator[InternalRow] = {
    val resources = new TaskResources(context)
    val log = RowLog.of(elements, resources)
    val answers = new SpecificInternalRow(plan.answers.map(_.dataType))
    val output = UnsafeProjection.create(plan.results.map(inFields), group ++ plan.answers)
    output.initialize(context.partitionId())
    val iterator = new HoppingWindowIterator(
      partials,
      PartitionKeys.of(plan.keys, input),
      UnsafeProjection.create(elements, input),
      input.indexWhere(_.exprId == plan.pane.exprId),
      log,
      plan.windows.end,
      new PaneFrames(plan.windows, _),
      evaluators(_, log, answers, resources),
      answers,
      Predicate.create(plan.condition.fold[Expression](Literal.TrueLiteral)(inFields), group),
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
    new BufferEvaluator(
      frame,
      frames,
      elements,
      log,
      resources,
      plan.maxStateBytes,
      answers,
      firstGuard = plan.answers.size,
      FrameElements.PartialAggregates(frame.aggregates.map(a => firstBuffers(a.answer)))
    )
  }

  /** The expression in terms of the window's start and end. */
  private def inFields(expression: Expression): Expression = expression.transform {
    case GetStructField(column, ordinal, _) if isWindow(column) => bounds(ordinal)
    case column if isWindow(column)                             =>
      CreateNamedStruct(bounds.flatMap(bound => Seq(Literal(bound.name), bound)))
  }

  private def isWindow(expression: Expression): Boolean = expression match {
    case column: Attribute => column.exprId == plan.window.exprId
    case _                 => false
  }
}
