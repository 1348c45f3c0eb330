package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder, Unevaluable}
import org.apache.spark.sql.types.DataType

/**
 * An aggregate of the right rows of a [[WindowJoin]] whose time is between two values of the left row.
 *
 * @param function
 *   the aggregate function. Not within Spark's `AggregateExpression`, which Spark allows in its own operators only
 * @param filter
 *   the condition on the right rows that count
 * @param order
 *   the time of the right rows
 * @param lower
 *   the least time; none if nothing limits it
 * @param upper
 *   the greatest time; none if nothing limits it
 * @param rowOfNulls
 *   whether to aggregate a row of nulls if there are no right rows, as after an outer join; for functions in Python only
 */
final case class FramedAggregate(
    function: Expression,
    filter: Option[Expression],
    order: SortOrder,
    lower: Option[RowValue],
    upper: Option[RowValue],
    rowOfNulls: Boolean = false
) extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = Seq(function, order) ++ filter ++ lower ++ upper
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = function.nullable

  /** The frame over the right rows. */
  def frame: Frame.Range = {
    def bound(value: Option[RowValue]) = value.fold[Frame.Bound](Frame.Unbounded) { v =>
      Frame.RowBound(order, TimestampPlusInterval.within(v.child), v.isInside, v.mayRise)
    }
    Frame.Range(bound(lower), bound(upper))
  }

  override def sql: String = text(_.sql)
  override def toString: String = text(_.toString)

  private def text(of: Expression => String): String = {
    def limit(value: Option[RowValue], strict: String) = value.map { v =>
      s"${of(order.child)} $strict${if (v.isInside) "=" else ""} ${of(v.child)}"
    }
    val where = (limit(lower, ">") ++ limit(upper, "<")).mkString(" AND ")
    s"${of(function)}${filter.fold("")(f => s" FILTER (WHERE ${of(f)})")} OVER ($where)"
  }

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): FramedAggregate = {
    val rest = children.drop(2)
    val limits = rest.drop(filter.size)
    copy(
      children(0),
      filter.map(_ => rest.head),
      children(1).asInstanceOf[SortOrder],
      lower.map(_ => limits.head.asInstanceOf[RowValue]),
      upper.map(_ => limits.last.asInstanceOf[RowValue])
    )
  }
}

/**
 * A bound of the frame of a [[FramedAggregate]].
 *
 * @param child
 *   the bound, over the left row
 * @param isInside
 *   whether right rows whose time is the bound count
 * @param mayRise
 *   whether the bound mostly rises from one left row to the next
 */
final case class RowValue(child: Expression, isInside: Boolean, mayRise: Boolean = false)
    extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = Seq(child)
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): RowValue =
    copy(child = children.head)
}
