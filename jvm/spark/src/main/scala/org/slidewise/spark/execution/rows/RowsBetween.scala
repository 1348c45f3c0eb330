package org.slidewise.spark.execution.rows

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow

/** The rows from the place `from` on to before the place `until`. */
final private[execution] class RowsBetween(rows: Iterator[InternalRow], from: Long, until: Long)
    extends AbstractIterator[InternalRow] {
  private[this] var next = 0L

  override def hasNext: Boolean = {
    while (next < from && rows.hasNext) {
      rows.next()
      next += 1
    }
    next < until && rows.hasNext
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    next += 1
    rows.next()
  }
}
