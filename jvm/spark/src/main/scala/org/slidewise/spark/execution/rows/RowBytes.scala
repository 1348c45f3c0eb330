package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** The bytes of a row, which are whole words. */
private[execution] object RowBytes {

  // Up to this size, a loop is faster than `copyMemory`, which checks its arguments.
  private val SmallBytes = 128

  /** Copies the bytes of `row` to `base` from `offset` on. */
  def copy(row: UnsafeRow, base: AnyRef, offset: Long): Unit = {
    val from = row.getBaseObject
    val start = row.getBaseOffset
    val size = row.getSizeInBytes
    if (size > SmallBytes) Platform.copyMemory(from, start, base, offset, size.toLong)
    else {
      var at = 0
      while (at < size) {
        Platform.putLong(base, offset + at, Platform.getLong(from, start + at))
        at += 8
      }
    }
  }
}
