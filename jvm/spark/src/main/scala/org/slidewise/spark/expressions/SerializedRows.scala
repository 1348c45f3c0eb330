package org.slidewise.spark.expressions

import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows as bytes: for each row its size in 8 bytes, so that rows are aligned, and the row. */
private[expressions] object SerializedRows {

  /**
   * @param remedy
   *   how to avoid the error of too many rows
   */
  def write(rows: Iterable[UnsafeRow], remedy: String): Array[Byte] = {
    val size = rows.foldLeft(0L)((sum, row) => sum + java.lang.Long.BYTES + row.getSizeInBytes)
    if (size > Int.MaxValue - 15)
      throw new UnsupportedOperationException(
        s"The rows of one group take $size bytes, and an aggregation buffer holds at most ${Int.MaxValue - 15}. $remedy"
      )
    val out = ByteBuffer.allocate(size.toInt)
    rows.foreach { row =>
      out.putLong(row.getSizeInBytes)
      row.writeTo(out)
    }
    out.array
  }

  /** The rows, which point into `bytes`. */
  def read(bytes: Array[Byte], fields: Int): ArrayBuffer[UnsafeRow] = {
    val in = ByteBuffer.wrap(bytes)
    val rows = ArrayBuffer.empty[UnsafeRow]
    while (in.hasRemaining) {
      val size = in.getLong.toInt
      val row = new UnsafeRow(fields)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + in.position(), size)
      in.position(in.position() + size)
      rows += row
    }
    rows
  }
}
