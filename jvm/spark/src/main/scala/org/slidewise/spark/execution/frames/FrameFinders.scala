package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.plan.Frame

/** Creates the finders of frames over `rows`, the rows of a partition. */
final private[execution] class FrameFinders(rows: FrameElements) {
  private[this] val input = rows.attributes

  /** A finder over rows in the order `order`. The current row is one of them. */
  def over(order: Seq[SortOrder], frame: Frame): FrameFinder =
    of(frame, findsFirst = true) {
      case bound: Frame.KeyBound =>
        val key = bound.order.child
        val ordering =
          RowOrdering.create(
            Seq(bound.order.copy(child = BoundReference(0, key.dataType, key.nullable))),
            Nil
          )
        new OrderedBound(ordering, unboxed(key, input), unboxed(bound.value, input))
      case _ => new OrderedBound(RowOrdering.create(order, input), IdentityProjection, new CopyOfRow(input))
    }

  /**
   * A finder of frames over all rows of a partition. The rows that have these frames are in another table.
   *
   * @param current
   *   the attributes of a row that has a frame
   */
  def ofOtherRows(frame: Frame, current: Seq[Attribute]): FrameFinder = {
    def limited(bound: Frame.Bound, holdsTies: Boolean => Boolean) = bound match {
      case Frame.RowBound(order, value, isInside, _) =>
        Some(
          new ValueBound(
            RowOrdering.create(
              Seq(
                order.copy(
                  child = BoundReference(0, value.dataType, nullable = true),
                  sameOrderExpressions = Nil
                )
              ),
              Nil
            ),
            unboxed(order.child, input),
            unboxed(value, current),
            holdsTies(isInside)
          )
        )
      case _ => None
    }
    frame match {
      case Frame.Range(lower, upper) =>
        new ValueFinder(limited(lower, !_), limited(upper, identity), rows.newReader())
      case other => throw new IllegalArgumentException(s"$other is no frame of another table")
    }
  }

  /**
   * A finder over rows in the order of an event time. The current row may have other columns.
   *
   * @param current
   *   the attributes of the current row
   * @param findsFirst
   *   see [[RangeFinder]]
   */
  def overTime(
      time: Attribute,
      frame: Frame,
      current: Seq[Attribute],
      findsFirst: Boolean
  ): FrameFinder = {
    def in(row: Seq[Attribute]) = row.indexWhere(_.exprId == time.exprId)
    of(frame, findsFirst) {
      case bound: Frame.KeyBound =>
        new TimeBound(
          in(current),
          in(input),
          bound.shift,
          UnsafeProjection.create(Seq(bound.value), current)
        )
      case _ => new TimeBound(in(current), in(input), Some(0L), IdentityProjection)
    }
  }

  private def of(frame: Frame, findsFirst: Boolean)(boundOf: Frame.Bound => RangeBound): FrameFinder = {
    def limited(bound: Frame.Bound) = if (bound == Frame.Unbounded) None else Some(boundOf(bound))
    frame match {
      case Frame.Rows(lower, upper)  => new RowsFinder(lower, upper)
      case Frame.Range(lower, upper) =>
        new RangeFinder(limited(lower), limited(upper), rows.newReader, findsFirst)
    }
  }

  private def unboxed(value: Expression, of: Seq[Attribute]): Projection =
    MutableProjection.create(Seq(value), of).target(new SpecificInternalRow(Seq(value.dataType)))
}

/** Copies a row. The copy is valid until the next row is copied. */
final private class CopyOfRow(attributes: Seq[Attribute]) extends Projection {
  private[this] val copy = UnsafeRow.createFromByteArray(0, attributes.size)

  def apply(row: InternalRow): InternalRow = {
    copy.copyFrom(row.asInstanceOf[UnsafeRow])
    copy
  }
}
