package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.BooleanType

import org.slidewise.spark.execution.sorting.PartitionSorter
import org.slidewise.spark.planning.FramePlan

/** All that a task needs to run a window over its rows; made on the driver, sent to the executors. */
final private[execution] class SlidingWindowEvaluator(
    plans: Seq[FramePlan],
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    sort: Boolean,
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
    val log = RowLog.of(summaryAttributes, resources)
    val waiting =
      if (plans.forall(p => endsByCurrentRow(p.frame))) None else Some(RowLog.of(childOutput, resources))
    val factory = new BoundsFactory(orderSpec, summaryAttributes, log, timeZone)
    val bounds = plans.map(_.frame).distinct.map(frame => frame -> factory.bounds(frame)).toMap

    val firstGuards = plans.scanLeft(windowExpression.size)(_ + _.aggregates.count(_.guard.isDefined))
    val results = new SpecificInternalRow(
      windowExpression.map(_.dataType) ++ Seq.fill(firstGuards.last - windowExpression.size)(BooleanType)
    )
    val evaluators = plans
      .zip(firstGuards)
      .map { case (plan, firstGuard) =>
        new FrameEvaluator(
          plan,
          bounds(plan.frame),
          summaryAttributes,
          log,
          resources,
          maxStateBytes,
          results,
          firstGuard
        )
      }
      .toArray

    val measures = new WindowMeasures(metrics, resources)
    val iterator = new SlidingWindowIterator(
      if (sort) sorted(rows, resources, context, measures) else rows,
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
    iterator
  }

  private def sorted(
      rows: Iterator[InternalRow],
      resources: TaskResources,
      context: TaskContext,
      measures: WindowMeasures
  ): Iterator[InternalRow] = {
    val sorter = new PartitionSorter(resources, childOutput, partitionSpec, orderSpec.head)
    context.addTaskCompletionListener[Unit] { _ =>
      measures.reportSort(sorter)
      sorter.close()
    }
    measures.timeSort(sorter.sort(rows))
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
