package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.plan.WindowKeys

/** The order of all rows: by partition key, then by `order`. */
final private[parallel] case class RunOrder(partition: Seq[Expression], order: Seq[SortOrder]) {

  /** The number of columns of a key. */
  def columns: Int = partition.size + order.size

  /** The columns of a key, as expressions over a row. */
  def inRows: Seq[SortOrder] = WindowKeys.asBytes(partition).map(SortOrder(_, Ascending)) ++ order

  /** The key of a row. Not safe for concurrent use. */
  def keys(input: Seq[Attribute]): UnsafeProjection = UnsafeProjection.create(inRows.map(_.child), input)

  /** The directions of the columns of a key. */
  def directions: Seq[SortOrder] = inRows.zipWithIndex.map { case (o, i) =>
    // Keys of another table may be null where those of this one are not.
    o.copy(child = BoundReference(i, o.child.dataType, nullable = true), sameOrderExpressions = Nil)
  }

  /** The order of keys. Not safe for concurrent use. */
  def ordering: Ordering[InternalRow] = RowOrdering.create(directions, Nil)
}
