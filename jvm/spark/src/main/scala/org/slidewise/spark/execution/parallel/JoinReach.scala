package org.slidewise.spark.execution.parallel

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.plan.{Frame, WindowJoinPlan, WindowKeys}

/**
 * The interval of the right rows that frames of some left rows may hold, as far as bounds limit these frames.
 *
 * @param from
 *   the place before the first of these right rows
 * @param until
 *   the place after the last of these right rows
 */
final private[parallel] case class JoinReach(from: Cut, until: Cut) {

  /** The place within the reach that is nearest to `cut`. */
  def nearest(cut: Cut, order: CutOrder): Cut = order.last(from, order.first(cut, until))
}

private[parallel] object JoinReach {

  /**
   * Finds the reach of left rows. If a bound fails, the reach includes all right rows with the same keys, because the failure is
   * an error only if right rows are within the other bound.
   *
   * @param order
   *   the order of right rows, by keys and time
   * @param input
   *   the attributes of a left row
   */
  final class Finder(plan: WindowJoinPlan, order: RunOrder, input: Seq[Attribute]) extends Serializable {
    private[this] val frames = plan.byRows.frames.map(_.frame).distinct
    private[this] val lower = bounds(range => Seq(range.lower, range.upper))
    private[this] val upper = bounds(range => Seq(range.upper, range.lower))

    /** The bounds on one side of the frames. For a frame without a bound on this side, the bound on its other side. */
    private def bounds(sides: Frame.Range => Seq[Frame.Bound]): Seq[Expression] = {
      val found = frames.flatMap {
        case range: Frame.Range => sides(range).collectFirst { case row: Frame.RowBound => row.value }
        case other              => throw new IllegalArgumentException(s"$other is no frame of another table")
      }
      ExpressionSet(found).toSeq
    }

    /** The reach of `rows`; none if no frame of these rows can hold a right row. */
    def of(rows: Iterator[InternalRow]): Option[JoinReach] = {
      val (keys, cuts) = (order.ordering, new CutOrder(order.directions))
      val first = new Extreme(lower, keys.lt(_, _), Cut.before(_, _), cuts.first)
      val last = new Extreme(upper, keys.gt(_, _), Cut.after(_, _), cuts.last)
      rows.foreach { row =>
        first.add(row)
        last.add(row)
      }
      for (from <- first.found; until <- last.found) yield JoinReach(from, until)
    }

    /**
     * Finds the place before the first time that bounds reach, or after the last.
     *
     * @param isBeyond
     *   whether the first key with its time is further out than the second
     * @param further
     *   returns the further one of two places
     */
    final private class Extreme(
        bounds: Seq[Expression],
        isBeyond: (InternalRow, InternalRow) => Boolean,
        cut: (InternalRow, Int) => Cut,
        further: (Cut, Cut) => Cut
    ) {
      private[this] val keys = WindowKeys.asBytes(plan.leftKeys)
      private[this] val withBound = bounds.map(b => UnsafeProjection.create(keys :+ b, input)).toArray
      private[this] val withoutBound = UnsafeProjection.create(keys, input)
      private[this] var known: UnsafeRow = _
      private[this] var failed: Option[Cut] = None

      def add(row: InternalRow): Unit = {
        var i = 0
        while (i < withBound.length) {
          try {
            val next = withBound(i)(row)
            if (!next.anyNull && (known == null || isBeyond(next, known))) known = next.copy()
          } catch { case NonFatal(_) => addKey(withoutBound(row)) }
          i += 1
        }
      }

      private def addKey(key: UnsafeRow): Unit = if (!key.anyNull) {
        val reached = cut(key.copy(), keys.size)
        failed = Some(failed.fold(reached)(further(_, reached)))
      }

      def found: Option[Cut] = (Option(known).map(cut(_, order.columns)) ++ failed).reduceOption(further)
    }
  }
}
