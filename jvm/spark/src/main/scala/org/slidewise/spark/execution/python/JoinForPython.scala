package org.slidewise.spark.execution.python

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.frames._
import org.slidewise.spark.execution.joins.{JoinElements, JoinSides, WindowJoinIterator}
import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.surroundings.SurroundingRows
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.PythonJoinPlan

/**
 * Finds the frames of left rows among right rows, sends both to Python, and joins the left rows with the results. Both sides come
 * in the order of their keys.
 *
 * Memory: the right rows of one key, in a log, and the left rows that wait for Python, in a queue; both spill.
 */
final private[execution] class JoinForPython(
    plan: PythonJoinPlan,
    left: Seq[Attribute],
    right: Seq[Attribute],
    results: Seq[Attribute],
    python: PythonEvaluation,
    timeZone: String
) extends Serializable {
  private val counts = plan.counts.map(_ => AttributeReference("count", LongType, nullable = false)())

  /** The attributes of a right row that Python and the frames need. */
  private val needed: Seq[Attribute] = {
    val references = AttributeSet(plan.rightOrder +: python.inputs)
    right.filter(references.contains)
  }

  /** The left rows, each with the counts of the plan and the results. */
  def evaluate(
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow],
      task: WindowTask
  ): Iterator[InternalRow] = {
    val context = TaskContext.get()
    val queue = new RowQueue(context, left.size + counts.size)
    val waiting = UnsafeProjection.create(left ++ counts, left ++ counts)
    val sent = rowsToSend(leftRows, rightRows, task, row => queue.add(waiting(row)))
    task.onCompletion(() => sent.close())
    val joined = new JoinedRow
    val output = UnsafeProjection.create(left ++ counts ++ results, left ++ counts ++ results)
    def rowAt(later: Long): InternalRow = {
      (0L until later).foreach(_ => queue.remove())
      queue.remove()
    }
    new NamedPartition(
      python.evaluate(context.partitionId(), sent),
      plan.leftKeys,
      left,
      timeZone,
      rowAt
    ).map(found => output(joined(queue.remove(), found)))
  }

  private def rowsToSend(
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow],
      task: WindowTask,
      keep: InternalRow => Unit
  ): RowsToSend = {
    val log = RowLog.of(needed, task.resources)
    val found = new FrameFinders(new FrameElements(needed, () => log.reader()))
    val finders = plan.window.frames.map(found.ofOtherRows(_, left)).toArray
    val starts = new KeyStarts
    val rows = new WindowJoinIterator(
      JoinSides.of(plan.leftKeys, left, plan.rightKeys, right)(leftRows, rightRows),
      new JoinElements(
        UnsafeProjection.create(needed.map(a => a: Expression), right),
        log,
        finders.toArray[FrameFinder],
        SurroundingRows.None
      ),
      new FrameEvaluators(Array[FrameEvaluator](starts), InternalRow.empty),
      repetition = None,
      FirstOfPair,
      task
    )
    val ofElement = python.leading.map(a => Literal.create(null, a.dataType)) ++ python.inputs
    val elements = new ElementsForPython(
      UnsafeProjection.create(ofElement, needed),
      if (plan.rowOfNulls) Some(() => UnsafeProjection.create(ofElement.map(overNulls))(EmptyRow)) else None,
      UnsafeProjection.create(
        python.leading ++ python.inputs.map(e => Literal.create(null, e.dataType)),
        python.leading
      ),
      log.reader(),
      finders,
      plan.window.frameOf.distinct.toArray
    )
    val timesOf = plan.times.map(times => UnsafeProjection.create(Seq(times), left))
    val ofFrames = new SpecificInternalRow(counts.map(_.dataType))
    val joined = new JoinedRow
    new RowsToSend(
      rows.flatMap { row =>
        val times = timesOf.fold(1L)(_(row).getLong(0))
        plan.counts.zipWithIndex.foreach { case (frame, i) =>
          ofFrames.setLong(i, (finders(frame).hi - finders(frame).lo) * times)
        }
        keep(joined(row, ofFrames))
        elements.begin(times, starts.take())
        elements
      },
      () => rows.close()
    )
  }

  private def overNulls(value: Expression): Expression = value.transform { case a: Attribute =>
    Literal.create(null, a.dataType)
  }
}

/** Records whether a new key has begun. */
final private class KeyStarts extends FrameEvaluator {
  private[this] var started = false

  /** Whether a key has begun since the last call. */
  def take(): Boolean = {
    val result = started
    started = false
    result
  }

  override def reset(): Unit = started = true
  override def evaluate(): Unit = ()
  override def oldestNeeded: Long = Long.MaxValue // it reads no rows
  override def combines: Long = 0L
  override def close(): Unit = ()
}

/** Projects two joined rows to the first row. */
private object FirstOfPair extends Projection {
  override def apply(row: InternalRow): InternalRow = row.asInstanceOf[JoinedRow].getLeft
}
