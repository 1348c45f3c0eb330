package org.slidewise.spark.execution.python

import scala.collection.AbstractIterator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames._
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog, RowsAhead}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.surroundings.SurroundingRows
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.PythonWindowPlan

/**
 * Finds the frames of the rows of a task, and joins the rows with the results from Python.
 *
 * Rows are numbered across all partitions of the task, so that Python need not know the partitions.
 *
 * Memory: the rows that wait for the end of their frames, in [[SlidingWindowIterator]]'s logs, and the rows that wait for Python,
 * in a queue; both spill.
 */
final private[execution] class FramesForPython(
    plan: PythonWindowPlan,
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    input: Seq[Attribute],
    results: Seq[Attribute],
    python: PythonEvaluation,
    timeZone: String
) extends Serializable {
  private def ends = python.leading

  /** The attributes of a row that determine its frames. */
  private val needed: Seq[Attribute] = {
    val references = AttributeSet(orderSpec)
    input.filter(references.contains)
  }

  def evaluate(rows: Iterator[InternalRow], task: WindowTask): Iterator[InternalRow] = {
    val context = TaskContext.get()
    val queue = new RowQueue(context, input.size)
    val toPython = UnsafeProjection.create(python.columns, input ++ ends)
    val frames = framed(rows, task)
    val sent = new RowsToSend(
      frames.map { framed =>
        queue.add(framed.asInstanceOf[JoinedRow].getLeft.asInstanceOf[UnsafeRow])
        toPython(framed)
      },
      () => frames.close()
    )
    task.onCompletion(() => sent.close())
    val joined = new JoinedRow
    val output = UnsafeProjection.create(input ++ results, input ++ results)
    def rowAt(later: Long): InternalRow = {
      (0L until later).foreach(_ => queue.remove())
      queue.remove()
    }
    new NamedPartition(
      python.evaluate(context.partitionId(), sent),
      partitionSpec,
      input,
      timeZone,
      rowAt
    ).map(found => output(joined(queue.remove(), found)))
  }

  /** The rows, each joined with the ends of its frames. */
  private def framed(rows: Iterator[InternalRow], task: WindowTask): SlidingWindowIterator = {
    val log = RowLog.of(needed, task.resources)
    val waiting = if (plan.answersAtOnce) None else Some(RowLog.of(input, task.resources))
    val rowsOfLog = new FrameFinders(new FrameElements(needed, () => log.reader()))
    val finders = plan.frames.map(rowsOfLog.over(orderSpec, _)).toArray
    val answers = new SpecificInternalRow(ends.map(_.dataType))
    new SlidingWindowIterator(
      new RowsAhead(rows, () => RowLog.of(input, task.resources, RowLog.SmallPage)),
      PartitionKeys.of(partitionSpec, input),
      new FrameLogs(UnsafeProjection.create(needed.map(a => a: Expression), input), log, waiting),
      finders,
      new FrameEvaluators(
        finders.indices.map(i => new FrameEnds(finders(i), answers, 2 * i): FrameEvaluator).toArray,
        answers
      ),
      SurroundingRows.None,
      IdentityProjection,
      task
    )
  }
}

/** An iterator that a thread other than the task's may read, as on Spark 3.5. It is empty after the task has closed it. */
final private class RowsToSend(rows: Iterator[InternalRow], whenClosed: () => Unit)
    extends AbstractIterator[InternalRow] {
  private[this] var closed = false

  override def hasNext: Boolean = synchronized(!closed && rows.hasNext)

  override def next(): InternalRow = synchronized {
    if (closed) throw new NoSuchElementException("the task has ended")
    rows.next()
  }

  def close(): Unit = synchronized {
    closed = true
    whenClosed()
  }
}

/** Writes the ends of the current frame, as row numbers within the task. */
final private class FrameEnds(bounds: FrameBounds, answers: InternalRow, ordinal: Int)
    extends FrameEvaluator {
  private[this] var passed, evaluated = 0L // rows of earlier partitions, and of all partitions

  override def evaluate(): Unit = {
    answers.setLong(ordinal, passed + bounds.lo)
    answers.setLong(ordinal + 1, passed + bounds.hi)
    evaluated += 1
  }

  override def reset(): Unit = passed = evaluated

  override def oldestNeeded: Long = Long.MaxValue // it reads no rows
  override def combines: Long = 0L
  override def close(): Unit = ()
}
