package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.expressions.{DistinctRows, GroupingKeys, GuardedCondition}
import org.slidewise.spark.plan.RowMultiset

/**
 * The tuple of values that a row adds to its frames.
 *
 * @param values
 *   the values, with one representation of equal numbers
 * @param filter
 *   the condition that rows must meet to count
 * @param skipsNulls
 *   whether a row with a null among its values does not count
 */
final private[frames] class RowTuple(
    values: Seq[Expression],
    filter: Option[Expression],
    input: Seq[Attribute],
    skipsNulls: Boolean
) {
  private[this] val project = UnsafeProjection.create(values, input)
  private[this] val counts = filter.map(GuardedCondition.predicate(_, input)).orNull
  private[this] val keys = {
    val attributes = values.map(v => AttributeReference("value", v.dataType, v.nullable)())
    val keys = attributes.map(DistinctRows.keyOf)
    if (keys == attributes) null else UnsafeProjection.create(keys, attributes)
  }
  private[this] var found: UnsafeRow = _

  /** Whether a tuple is its own key. */
  def isKey: Boolean = keys == null

  /** Reads the tuple of a row. False if the row does not count. */
  def read(row: InternalRow): Boolean = (counts == null || counts.eval(row)) && {
    found = project(row)
    !(skipsNulls && found.anyNull)
  }

  /** The tuple that has been read last. */
  def tuple: UnsafeRow = found

  /** The key of the tuple that has been read last. Equal tuples have keys with equal bytes. */
  def key: UnsafeRow = if (keys == null) found else keys(found)
}

private[frames] object RowTuple {

  /** The tuples that a DISTINCT aggregate counts. `count` leaves out tuples with a null. */
  def of(distinct: RowMultiset.Distinct, filter: Option[Expression], input: Seq[Attribute]): RowTuple =
    distinct.counted match {
      case Some(values) =>
        new RowTuple(values.map(GroupingKeys.normalized(_)), filter, input, skipsNulls = true)
      case None => new RowTuple(distinct.aggregate.tuple, filter, input, skipsNulls = false)
    }
}
