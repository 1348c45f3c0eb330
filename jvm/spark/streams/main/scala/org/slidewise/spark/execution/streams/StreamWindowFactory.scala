package org.slidewise.spark.execution.streams

import org.apache.hadoop.fs.Path

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.util.SerializableConfiguration

import org.slidewise.spark.execution.frames.{AnswerRow, FrameEvaluator, FrameFinders}
import org.slidewise.spark.execution.sorting.{PartitionSorter, SortSpec}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.expressions.RowStructure
import org.slidewise.spark.plan._

/**
 * Creates the objects with which a task runs a window over its part of a batch. The driver creates the factory and sends it to the
 * executors.
 *
 * @param childOutput
 *   the columns of the rows, in the order in which the state keeps them; all nullable, since earlier runs may have stored nulls in
 *   columns that are not nullable in this run
 * @param outputColumns
 *   the same columns in the order of the output
 */
final private[streams] class StreamWindowFactory(
    plan: SlidingWindowPlan,
    options: StreamOptions,
    childOutput: Seq[Attribute],
    outputColumns: Seq[Attribute],
    lateRowsFolder: Option[String],
    hadoopConf: SerializableConfiguration
) extends Serializable {

  private def partitionSpec = plan.partitionSpec
  private def order = plan.eventTimeOrder

  private def structureOf(columns: Seq[Attribute]) =
    new RowStructure(columns.map(_.dataType))

  private def time = order.child.asInstanceOf[Attribute]

  private def timeIn(row: Seq[Attribute]) = row.indexWhere(_.exprId == time.exprId)

  private val timeField = timeIn(childOutput)

  private val reach = EventTimeReach.of(plan)

  /** The attributes of a row that later frames and functions need. */
  private val summaryAttributes = plan.rowWise.neededAttributes(childOutput, plan.orderSpec)

  /**
   * @param lateUntil
   *   the watermark up to which rows are late, in milliseconds
   * @param evictUntil
   *   the watermark up to which state is removed, in milliseconds
   * @param atEnd
   *   called once, after the last row, when all state is written
   */
  def start(
      rows: Iterator[InternalRow],
      store: StateStore,
      lateUntil: Option[Long],
      evictUntil: Option[Long],
      context: TaskContext
  )(atEnd: ((String => SQLMetric) => Unit) => Unit): Iterator[InternalRow] = {
    val resources = new TaskResources(context)
    val sorter =
      new PartitionSorter(
        resources,
        childOutput,
        new SortSpec(partitionSpec, Seq(order), plan.sort.radixInSpark, peers = 1)
      )
    val cells = new StateCells(store, partitionSpec, childOutput)
    val cancellation = new CancellationCheck(() => resources.stopIfCancelled())
    val logMemory, waitingMemory = new TaskBlockMemory(resources)
    val log = new StateLog(cells, StateCells.Rows, structureOf(summaryAttributes), logMemory)

    val answers = new AnswerRow(plan.rowWise)
    val results = answers.row
    val evaluators = plan.rowWise.frames.indices
      .map(evaluatorOf(_, log, cells, resources, cancellation, answers))
      .toArray
    val pending = new PendingRows(cells, structureOf(childOutput), timeField)
    val waiting = new StateLog(cells, StateCells.Waiting, structureOf(childOutput), waitingMemory)
    val times = BatchTimes(
      BatchTimes.micros(evictUntil),
      BatchTimes.micros(lateUntil),
      options.eager,
      reach.neededUntil(_, options.keyTimeoutMicros)
    )
    val partition = new PartitionState(cells, options.keyTimeoutMicros)
    val timers = new Timers(
      cells,
      partition,
      resources,
      cancellation,
      times.watermark,
      (due, silent) => silent != Long.MaxValue && due > TimeReach.plus(times.neededUntil(silent), 1L)
    )
    val key = new KeyState(cells, pending, log, waiting, evaluators, timers, partition)
    val run = new KeyRun(
      key,
      UnsafeProjection.create(summaryAttributes.map(_.asInstanceOf[Expression]), childOutput),
      timeField,
      plan.rowWise.answersAtOnce,
      results,
      UnsafeProjection
        .create(outputColumns ++ plan.rowWise.resultExpressions, childOutput ++ plan.rowWise.answers),
      times.isPast,
      cancellation
    )
    val counts = new StreamCounts
    val lateRows = lateRowsOf(store)
    context.addTaskCompletionListener[Unit] { _ =>
      lateRows.abort()
      evaluators.foreach(_.close())
      Seq(logMemory, waitingMemory).foreach(_.close())
      timers.close()
      sorter.close()
    }

    val arrived = new ArrivedRows(
      if (rows.isEmpty) Iterator.empty else sorter.sort(rows).map(_.asInstanceOf[UnsafeRow]),
      UnsafeProjection.create(partitionSpec, childOutput),
      timeField,
      times,
      counts,
      lateRows,
      cancellation
    )
    new StreamWindowTask(
      arrived,
      cells,
      key,
      run,
      times,
      timers,
      counts,
      () => {
        partition.bytes += cells.grown
        val updates = counts.report(cells, evaluators, partition, times.watermark, _)
        partition.save()
        atEnd(updates)
      }
    )
  }

  private def evaluatorOf(
      index: Int,
      log: StateLog,
      cells: KeyCells,
      resources: TaskResources,
      cancellation: CancellationCheck,
      answers: AnswerRow
  ): StreamFrameEvaluator = {
    val frame = plan.rowWise.frames(index)
    val own = FrameCells(cells, StateCells.FirstFrame + index)
    val elements = new FrameElements(summaryAttributes, () => log.reader())
    val state = StoredFrame.stateOf(frame)
    val bounds = new FrameFinders(elements)
      .overTime(time, frame.read, childOutput, findsFirst = state != StoredFrame.LastOccurrences)
    state match {
      case StoredFrame.Summaries =>
        new StreamSummaryEvaluator(frame, bounds, summaryAttributes, log.reader(), resources, answers.row)
      case StoredFrame.LastOccurrences =>
        val kept = RowWisePlan(Seq(frame), Nil, Nil).neededAttributes(summaryAttributes, plan.orderSpec)
        new StreamDistinctEvaluator(
          frame,
          bounds,
          KeptColumns(summaryAttributes, kept, timeIn(kept)),
          log.reader(),
          own,
          resources,
          cancellation,
          answers.row
        )
      case StoredFrame.Rows =>
        val evaluator = FrameEvaluator.of(
          frame,
          index,
          bounds,
          elements,
          resources,
          options.maxStateBytes,
          answers
        )
        new StreamRowsEvaluator(evaluator, bounds)
      case _ =>
        new StreamBufferEvaluator(
          frame,
          bounds,
          elements,
          own,
          resources,
          options.maxStateBytes,
          answers.row,
          answers.firstGuard(index)
        )
    }
  }

  // Not by the number of the task, which may compute several partitions.
  private def lateRowsOf(store: StateStore): LateRows = lateRowsFolder.fold[LateRows](LateRows.Dropped) {
    folder =>
      val file = new Path(folder, s"part-${store.id.partitionId}.json")
      new LateRows.InFile(file, childOutput, hadoopConf.value)
  }
}
