package org.slidewise.spark.expressions

import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.errors.CorruptState

/** Rows as bytes: for each row its size in 8 bytes, so that rows are aligned, and the row. */
private[expressions] object SerializedRows {

  /**
   * Writes the rows.
   *
   * @param remedy
   *   the advice in the error for too many rows
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

  /** The rows, which point into `bytes`. Damaged bytes raise [[CorruptState]]. */
  def read(bytes: Array[Byte], types: Seq[DataType]): ArrayBuffer[UnsafeRow] = {
    val structure = new RowStructure(types)
    val in = ByteBuffer.wrap(bytes)
    val rows = ArrayBuffer.empty[UnsafeRow]
    while (in.hasRemaining) {
      val size = if (in.remaining < java.lang.Long.BYTES) -1L else in.getLong
      if (size < 0 || size > in.remaining)
        throw new CorruptState(s"a row of $size bytes is announced, ${in.remaining} bytes are there")
      val row = new UnsafeRow(types.size)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + in.position(), size.toInt)
      in.position(in.position() + size.toInt)
      rows += structure.check(row)
    }
    rows
  }
}
