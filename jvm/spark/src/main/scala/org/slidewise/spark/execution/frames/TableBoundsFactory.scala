package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.plan.{FrameOffset, FrameShape}

/** Makes the bounds of a frame over rows of the given attributes. */
final private[execution] class TableBoundsFactory(
    orderSpec: Seq[SortOrder],
    input: Seq[Attribute],
    log: RowLog,
    timeZone: String
) {
  def bounds(frame: SpecifiedWindowFrame): TableBounds = frame match {
    case SpecifiedWindowFrame(RowFrame, lower, upper) =>
      new RowsBounds(FrameShape.rowOffset(lower), FrameShape.rowOffset(upper))
    case SpecifiedWindowFrame(RangeFrame, lower, upper) =>
      new RangeBounds(range(lower), range(upper), log.reader())
  }

  private def range(bound: Expression): Option[RangeBound] = bound match {
    case UnboundedPreceding | UnboundedFollowing => None
    case CurrentRow                              =>
      Some(new RangeBound(RowOrdering.create(orderSpec, input), IdentityProjection, new CopyOfRow(input)))
    case offset =>
      val order = orderSpec.head
      val key = order.child
      val ordering =
        RowOrdering.create(Seq(order.copy(child = BoundReference(0, key.dataType, key.nullable))), Nil)
      Some(new RangeBound(ordering, unboxed(key), unboxed(FrameOffset.add(order, offset, timeZone))))
  }

  private def unboxed(value: Expression): Projection =
    MutableProjection.create(Seq(value), input).target(new SpecificInternalRow(Seq(value.dataType)))
}

/** A copy of a row that lasts until the next one is made. */
final private class CopyOfRow(attributes: Seq[Attribute]) extends Projection {
  private[this] val copy = UnsafeRow.createFromByteArray(0, attributes.size)

  def apply(row: InternalRow): InternalRow = {
    copy.copyFrom(row.asInstanceOf[UnsafeRow])
    copy
  }
}
