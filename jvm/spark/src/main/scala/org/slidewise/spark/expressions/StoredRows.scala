package org.slidewise.spark.expressions

import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows as bytes: each one's size, in eight bytes so that rows lie at multiples of that, and the row. */
private[expressions] object StoredRows {

  def write(rows: Iterable[UnsafeRow]): Array[Byte] = {
    val size = rows.foldLeft(0L)((sum, row) => sum + java.lang.Long.BYTES + row.getSizeInBytes)
    if (size > Int.MaxValue - 15)
      throw new UnsupportedOperationException(
        s"a group's rows are $size bytes, and a state holds at most ${Int.MaxValue - 15}: a window with ORDER BY keeps no rows"
      )
    val out = ByteBuffer.allocate(size.toInt)
    rows.foreach { row =>
      out.putLong(row.getSizeInBytes)
      row.writeTo(out)
    }
    out.array
  }

  /** The rows, which go on lying in `bytes`. */
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
