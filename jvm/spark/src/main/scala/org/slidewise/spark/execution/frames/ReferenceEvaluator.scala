package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BindReferences, Expression}

import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.surroundings.SurroundingStates
import org.slidewise.spark.plan.{FramePlan, PlannedAggregate, RowReference}

/**
 * Evaluates [[RowReference]]s over moving frames: reads the row with the value, in memory or on disk. Takes constant time for a
 * row. Needs no combine, buffer or copy, because an answer may point into the row.
 *
 * Memory: the memory of one reader for each place in the frame.
 *
 * @param bounds
 *   the bounds of the frames
 * @param elements
 *   the rows of the frames
 * @param answers
 *   the row that results are written to. The caller must read the results before the next evaluation, and before the rows of this
 *   frame are released
 */
final private[execution] class ReferenceEvaluator(
    plan: FramePlan,
    bounds: FrameBounds,
    elements: FrameElements,
    answers: InternalRow
) extends FrameEvaluator {
  import ReferenceEvaluator.Place

  private[this] val references = plan.aggregates.map(a => a -> referenceOf(a))

  private[this] val sizes = references.collect { case (a, RowReference(None, _, _)) => a.answer }.toArray

  // One reader for each place, because a reader's row is valid until the reader reads another row.
  private[this] val places = references
    .collect { case (a, RowReference(Some(value), n, fromEnd)) => ((n, fromEnd), (value, a.answer)) }
    .groupBy { case (place, _) => place }
    .map { case ((n, fromEnd), all) =>
      val values = all.map { case (_, (value, _)) =>
        BindReferences.bindReference(value, elements.attributes): Expression
      }
      val ordinals = all.map { case (_, (_, answer)) => answer }
      new Place(n, fromEnd, elements.newReader(), values.toArray, ordinals.toArray)
    }
    .toArray

  private def referenceOf(aggregate: PlannedAggregate) = aggregate.call.reference.getOrElse(
    throw new IllegalArgumentException(s"${aggregate.description.name} is not the value of one row")
  )

  // Evaluates an unchanged frame again, because an answer may point into a row that has been released since.
  override def evaluate(): Unit = {
    var i = 0
    while (i < places.length) {
      places(i).write(bounds.lo, bounds.hi, answers)
      i += 1
    }
    i = 0
    while (i < sizes.length) {
      answers.setLong(sizes(i), bounds.hi - bounds.lo + (if (bounds.isKnown) around else 0L))
      i += 1
    }
  }

  // The number of surrounding rows in each frame, which are not among the elements.
  private[this] var around = 0L

  override def startAfter(before: SurroundingStates): Unit = if (plan.frame.isGrowing) around += before.count
  override def endBefore(after: SurroundingStates): Unit = if (plan.frame.reachesEnd) around += after.count

  // Clears the answers, which may point into rows of the previous partition.
  override def reset(): Unit = {
    places.foreach(_.forget(answers))
    around = 0L
  }
  override def oldestNeeded: Long = bounds.lo
  override def combines: Long = 0L
  override def close(): Unit = ()
}

private object ReferenceEvaluator {

  /** Reads values from the row at one place of the frame, and writes them to their fields of the answers. */
  final private class Place(
      n: Int,
      fromEnd: Boolean,
      rows: RowsByPosition,
      values: Array[Expression],
      ordinals: Array[Int]
  ) {
    def forget(answers: InternalRow): Unit = ordinals.foreach(answers.setNullAt)

    def write(lo: Long, hi: Long, answers: InternalRow): Unit = {
      val position = if (fromEnd) hi - n else lo + n - 1
      val row = if (position < lo || position >= hi) null else rows(position)
      var i = 0
      while (i < values.length) {
        answers.update(ordinals(i), if (row == null) null else values(i).eval(row))
        i += 1
      }
    }
  }
}
