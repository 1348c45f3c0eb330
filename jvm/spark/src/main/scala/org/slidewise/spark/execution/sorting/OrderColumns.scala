package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/** The order columns of rows, compared as Spark's sort compares them. */
private[execution] class OrderColumns(order: Seq[SortOrder], input: Seq[Attribute]) {
  private[this] val project = UnsafeProjection.create(order.map(_.child), input)
  private[this] val ordering: Ordering[InternalRow] = RowOrdering.create(
    order.zipWithIndex.map { case (by, i) =>
      by.copy(child = BoundReference(i, by.child.dataType, by.child.nullable), sameOrderExpressions = Nil)
    },
    Nil
  )

  /** The order columns of `row`, in a row object that is reused. */
  final def of(row: UnsafeRow): UnsafeRow = project(row)

  final def compare(a: UnsafeRow, b: UnsafeRow): Int = ordering.compare(a, b)
}
