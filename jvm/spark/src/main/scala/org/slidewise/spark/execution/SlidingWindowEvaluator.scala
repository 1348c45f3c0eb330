package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.BooleanType

import org.slidewise.spark.execution.arrays.{ArrayWindow, StreamedArrays}
import org.slidewise.spark.execution.frames.{
  BoundsFactory,
  FrameEvaluator,
  SlidingWindowIterator,
  SummaryEvaluator,
  WindowMeasures
}
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}
import org.slidewise.spark.execution.sorting.{
  PartitionSorter,
  RowFinisher,
  RowPlaces,
  SortedColumns,
  SortSpec
}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.planning.{Algorithm, ArrayAggregate, FramePlan}

/**
 * All that a task needs to run a window over its rows; made on the driver, sent to the executors.
 *
 * @param sort
 *   whether the rows are to be sorted first
 * @param arrays
 *   how array kernels answer all the window expressions; empty if they cannot
 */
final private[execution] class SlidingWindowEvaluator(
    plans: Seq[FramePlan],
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    sort: Boolean,
    arrays: Seq[ArrayAggregate],
    maxStateBytes: Long,
    timeZone: String,
    metrics: Map[String, SQLMetric]
) extends Serializable {

  /**
   * The rows of one task's partition with their answers. Every file and page is given back when the rows are used up,
   * or else when the task ends, however it ends.
   */
  def apply(rows: Iterator[InternalRow]): Iterator[InternalRow] = if (rows.isEmpty) Iterator.empty
  else {
    val context = TaskContext.get()
    val resources = new TaskResources(context)
    val measures = new WindowMeasures(metrics, resources)
    if (!sort) {
      if (arrays.isEmpty) answered(rows, context, resources, measures)
      else streamedInArrays(rows, context, resources, measures)
    } else {
      val spec = new SortSpec(partitionSpec, orderSpec)
      if (arrays.nonEmpty) answeredInArrays(spec, rows, context, resources, measures)
      else {
        val sorter = new PartitionSorter(resources, childOutput, spec)
        answered(sorted(sorter, rows, context, measures)((_, _) => None), context, resources, measures)
      }
    }
  }

  private def answeredInArrays(
      spec: SortSpec,
      rows: Iterator[InternalRow],
      context: TaskContext,
      resources: TaskResources,
      measures: WindowMeasures
  ): Iterator[InternalRow] = {
    val window = new ArrayWindow(arrays, orderSpec)
    val results = windowExpression.map(_.toAttribute)
    val sorter = new PartitionSorter(resources, childOutput, spec, results, window.inputs)
    var done = false
    val roomy = sorted(sorter, rows, context, measures) { (columns, places) =>
      val finisher = window.finisher(columns, places, childOutput, measures.answeredInArrays _)
      done = finisher.isDefined
      finisher
    }
    if (done) roomy
    else {
      val withoutRoom =
        UnsafeProjection.create(childOutput.map(_.asInstanceOf[Expression]), childOutput ++ results)
      answered(roomy.map(withoutRoom), context, resources, measures)
    }
  }

  private def streamedInArrays(
      rows: Iterator[InternalRow],
      context: TaskContext,
      resources: TaskResources,
      measures: WindowMeasures
  ): Iterator[InternalRow] = {
    val streamed = new StreamedArrays(
      rows,
      new ArrayWindow(arrays, orderSpec),
      childOutput,
      windowExpression.map(_.toAttribute),
      grouping(),
      resources,
      measures,
      (others, done) => answered(others, context, resources, measures, done)
    )
    context.addTaskCompletionListener[Unit](_ => streamed.close())
    streamed
  }

  /**
   * The general path: the answers for rows in order.
   *
   * @param done
   *   how many of the first partition's rows have their answers already, and are not to come out
   */
  private def answered(
      rows: Iterator[InternalRow],
      context: TaskContext,
      resources: TaskResources,
      measures: WindowMeasures,
      done: Int = 0
  ): Iterator[InternalRow] = {
    val log = RowLog.of(summaryAttributes, resources)
    val waiting =
      if (plans.forall(p => endsByCurrentRow(p.read))) None else Some(RowLog.of(childOutput, resources))
    val factory = new BoundsFactory(orderSpec, summaryAttributes, log, timeZone)
    val bounds = plans.map(_.read).distinct.map(frame => frame -> factory.bounds(frame)).toMap

    val firstGuards = plans.scanLeft(windowExpression.size)(_ + _.aggregates.count(_.guard.isDefined))
    val results = new SpecificInternalRow(
      windowExpression.map(_.dataType) ++ Seq.fill(firstGuards.last - windowExpression.size)(BooleanType)
    )
    val evaluators = plans
      .zip(firstGuards)
      .map {
        case (plan, _) if plan.algorithm == Algorithm.AdditiveSummaries =>
          new SummaryEvaluator(plan, bounds(plan.read), summaryAttributes, log, results)
        case (plan, firstGuard) =>
          new FrameEvaluator(
            plan,
            bounds(plan.read),
            summaryAttributes,
            log,
            resources,
            maxStateBytes,
            results,
            firstGuard
          )
      }
      .toArray

    val iterator = new SlidingWindowIterator(
      rows,
      UnsafeProjection.create(summaryAttributes.map(_.asInstanceOf[Expression]), childOutput),
      grouping(),
      log,
      waiting,
      bounds.values.toArray,
      evaluators,
      results,
      outputProjection(),
      measures,
      resources
    )
    context.addTaskCompletionListener[Unit](_ => iterator.close())
    iterator.pass(done)
    iterator
  }

  private def sorted(
      sorter: PartitionSorter,
      rows: Iterator[InternalRow],
      context: TaskContext,
      measures: WindowMeasures
  )(finisher: (SortedColumns, RowPlaces) => Option[RowFinisher]): Iterator[InternalRow] = {
    context.addTaskCompletionListener[Unit] { _ =>
      measures.reportMemory(sorter.peakMemory, sorter.spilledBytes)
      sorter.close()
    }
    measures.timeSort(sorter.sort(rows, finisher))
  }

  /** What the frames and their functions need of a row. */
  private val summaryAttributes: Seq[Attribute] = {
    val needed = AttributeSet(
      orderSpec.filter(_ => plans.exists(_.frameType == RangeFrame)) ++
        plans.flatMap(_.aggregates).flatMap(a => a.function.children ++ a.filter)
    )
    childOutput.filter(needed.contains)
  }

  private def endsByCurrentRow(frame: SpecifiedWindowFrame): Boolean = frame match {
    case SpecifiedWindowFrame(RowFrame, _, CurrentRow)             => true
    case SpecifiedWindowFrame(RowFrame, _, IntegerLiteral(offset)) => offset <= 0
    case _                                                         => false
  }

  private def grouping(): PartitionKeys = {
    val key = UnsafeProjection.create(partitionSpec, childOutput)
    val same =
      if (partitionSpec.forall(e => UnsafeRowUtils.isBinaryStable(e.dataType)))
        (a: UnsafeRow, b: UnsafeRow) => a.equals(b)
      else {
        val ordering = InterpretedOrdering.forSchema(partitionSpec.map(_.dataType))
        (a: UnsafeRow, b: UnsafeRow) => ordering.compare(a, b) == 0
      }
    new PartitionKeys(key, partitionSpec.size, same)
  }

  private def outputProjection(): UnsafeProjection =
    UnsafeProjection.create(
      childOutput ++ windowExpression.zipWithIndex.map { case (e, i) =>
        BoundReference(childOutput.size + i, e.dataType, e.nullable)
      },
      childOutput
    )
}
