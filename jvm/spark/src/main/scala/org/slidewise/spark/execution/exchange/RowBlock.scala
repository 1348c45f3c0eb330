package org.slidewise.spark.execution.exchange

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.rows.RowBytes

/**
 * Rows one after the other in the bytes of one row, called a block. The shuffle handles a block as one record: it copies, sorts
 * and reads each record separately. Each row is preceded by its size.
 */
private[execution] object RowBlock {

  /** The bytes that a row takes in a block in addition to its own. */
  val HeaderBytes = 8

  /** The number of bytes that a row takes in a block. */
  def bytesOf(row: UnsafeRow): Int = HeaderBytes + row.getSizeInBytes

  /** Writes a row to `bytes` from `at` on. Returns the place where the next row begins. */
  def put(row: UnsafeRow, bytes: Array[Byte], at: Int): Int = {
    val to = Platform.BYTE_ARRAY_OFFSET + at.toLong
    Platform.putLong(bytes, to, row.getSizeInBytes.toLong)
    RowBytes.copy(row, bytes, to + HeaderBytes)
    at + bytesOf(row)
  }

  /** Points `block` to the rows in `bytes` from `from` until `end`. */
  def point(block: UnsafeRow, bytes: Array[Byte], from: Int, end: Int): Unit =
    block.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + from.toLong, end - from)

  /**
   * The rows of some blocks, the same object each time. A row is no longer valid when the next one is requested.
   *
   * @param fields
   *   the number of fields of a row
   */
  def rows(blocks: Iterator[InternalRow], fields: Int): Iterator[InternalRow] =
    new AbstractIterator[InternalRow] {
      private[this] val row = new UnsafeRow(fields)
      private[this] var base: AnyRef = _
      private[this] var at, end = 0L

      override def hasNext: Boolean = at < end || blocks.hasNext

      override def next(): InternalRow = {
        if (at == end) {
          val block = blocks.next().asInstanceOf[UnsafeRow]
          base = block.getBaseObject
          at = block.getBaseOffset
          end = at + block.getSizeInBytes
        }
        val size = Platform.getLong(base, at).toInt
        row.pointTo(base, at + HeaderBytes, size)
        at += HeaderBytes + size
        row
      }
    }
}
