package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.plan.{Frame, WindowJoinPlan, WindowKeys}

/**
 * The places between which the right rows lie that frames of some left rows may hold, as far as a bound limits them.
 *
 * @param from
 *   before the first
 * @param until
 *   after the last
 */
final private[parallel] case class JoinReach(from: Cut, until: Cut)

private[parallel] object JoinReach {

  /**
   * Finds the reach of left rows.
   *
   * @param order
   *   the order of right rows, by keys and time
   * @param input
   *   the attributes of a left row
   */
  final class Finder(plan: WindowJoinPlan, order: RunOrder, input: Seq[Attribute]) extends Serializable {
    private[this] val frames = plan.byRows.frames.map(_.frame).distinct
    private[this] val lower = bounds(_.lower, _.upper)
    private[this] val upper = bounds(_.upper, _.lower)

    /** The bounds on one side of the frames; that on the other side, where there is none. */
    private def bounds(near: Frame.Range => Frame.Bound, far: Frame.Range => Frame.Bound): Seq[Expression] = {
      val found = frames.map {
        case range: Frame.Range => Seq(near(range), far(range)).collectFirst { case row: Frame.RowBound => row }
        case other              => throw new IllegalArgumentException(s"$other is no frame of another table")
      }
      ExpressionSet(found.flatten.map(_.value)).toSeq
    }

    /** None if no frame holds a row. */
    def of(rows: Iterator[InternalRow]): Option[JoinReach] = {
      val first, last = new Extreme(order.ordering)
      val (firsts, lasts) = (lower.map(keys), upper.map(keys))
      rows.foreach { row =>
        firsts.foreach(key => first.add(key(row), -1))
        lasts.foreach(key => last.add(key(row), 1))
      }
      for (a <- first.found; b <- last.found)
        yield JoinReach(Cut.before(a, order.columns), Cut.after(b, order.columns))
    }

    private def keys(bound: Expression) =
      UnsafeProjection.create(WindowKeys.asBytes(plan.leftKeys) :+ bound, input)
  }

  /** The first or the last of some keys without nulls. */
  final private class Extreme(order: Ordering[InternalRow]) {
    private[this] var known: UnsafeRow = _

    /** Takes `next` if it is beyond all keys so far, in the direction of `sign`. */
    def add(next: UnsafeRow, sign: Int): Unit =
      if (!next.anyNull && (known == null || order.compare(next, known) * sign > 0)) known = next.copy()

    def found: Option[UnsafeRow] = Option(known)
  }
}
