package org.slidewise.spark.execution.frames

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.rows.{PartitionRows, RowsByPosition}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{PlannedAggregate, RowMultiset}

/**
 * Evaluates DISTINCT aggregates of frames that hold more distinct values than fit in memory. Uses the [[Occurrences]] of each
 * value.
 *
 * '''Cost.''' `count` takes constant time for a row that enters or leaves. Any other function reads all rows of the frame again
 * after a value has appeared or disappeared.
 *
 * '''Memory.''' The memory of [[Occurrences]] for each function, and one aggregation buffer.
 *
 * @param first
 *   the position where the first frame begins
 * @param partition
 *   the rows from `first` on
 * @param rows
 *   reads the rows of a frame again
 */
final private[frames] class ExternalDistinct(
    aggregates: Seq[PlannedAggregate],
    input: Seq[Attribute],
    first: Long,
    partition: PartitionRows,
    rows: => RowsByPosition,
    resources: TaskResources,
    answers: InternalRow
) {
  private[this] var moved = 0L
  private[this] var each: Seq[Function] = Nil
  try aggregates.foreach(planned => each :+= new Function(planned))
  catch {
    case e: Throwable =>
      close()
      throw e
  }

  /** Writes the answers for a frame. Neither end of the frame may move back. */
  def evaluate(lo: Long, hi: Long): Unit = each.foreach(_.evaluate(lo, hi))

  /** The number of rows that entered a frame, left a frame or were read again, summed over the functions. */
  def steps: Long = moved
  def peakMemory: Long = each.map(_.occurrences.peakMemory).sum
  def spilledBytes: Long = each.map(_.occurrences.spilledBytes).sum
  def close(): Unit = each.foreach(_.occurrences.close())

  final private class Function(planned: PlannedAggregate) {
    private[this] val function = planned.description.multiset match {
      case Some(distinct: RowMultiset.Distinct) => distinct
      case _ => throw new IllegalArgumentException(s"${planned.description.name} is not of distinct values")
    }
    private[this] val tuples = RowTuple.of(function, planned.filter, input)
    private[this] val counts = function.counted.isDefined

    val occurrences: Occurrences =
      Occurrences.of(
        first,
        f => partition.foreachFrom(first)(row => f(if (tuples.read(row)) tuples.key else null)),
        resources
      )

    private[this] val entering, leaving = occurrences.reader()
    private[this] lazy val within = occurrences.reader()
    private[this] lazy val overTuples = function.aggregate.newEvaluator()
    private[this] var start, end = first
    private[this] var distinct = 0L
    private[this] var isWritten = false

    def evaluate(lo: Long, hi: Long): Unit = {
      if (lo >= end) {
        isWritten &= distinct == 0L
        distinct = 0L
        end = lo
      } else leave(lo)
      start = lo
      enter(hi)
      occurrences.release(start)
      if (!isWritten) write()
    }

    private def leave(lo: Long): Unit = while (start < lo) {
      if (leaving.next(start) >= end) changeBy(-1)
      start += 1
      step()
    }

    private def enter(hi: Long): Unit = while (end < hi) {
      if (entering.previous(end) < start) changeBy(1)
      end += 1
      step()
    }

    private def changeBy(change: Int): Unit = {
      distinct += change
      isWritten = false
    }

    private def write(): Unit = {
      answers.update(planned.answer, if (counts) distinct else ofFrame())
      isWritten = true
    }

    private def ofFrame(): Any = {
      val result = overTuples(new Iterable[InternalRow] {
        override def iterator: Iterator[InternalRow] = new DistinctOfFrame
      })
      within.leave()
      result
    }

    /** The distinct tuples of the frame, each from the first row that has it. */
    private class DistinctOfFrame extends AbstractIterator[InternalRow] {
      private[this] var position = start

      override def hasNext: Boolean = {
        while (position < end && within.previous(position) >= start) move()
        position < end
      }

      override def next(): InternalRow = {
        if (!hasNext) throw new NoSuchElementException("there are no more tuples")
        tuples.read(rows(position))
        move()
        tuples.tuple
      }

      private def move(): Unit = {
        position += 1
        step()
      }
    }
  }

  private def step(): Unit = {
    moved += 1
    if (moved % ExternalDistinct.CheckEvery == 0) resources.stopIfCancelled()
  }
}

private object ExternalDistinct {
  private val CheckEvery = 4096L
}
