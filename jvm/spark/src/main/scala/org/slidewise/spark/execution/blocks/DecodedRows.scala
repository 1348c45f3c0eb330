package org.slidewise.spark.execution.blocks

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * Writes rows with some columns of decoded blocks, one after the other, in the layout of `UnsafeRow`.
 *
 * Memory: 16 bytes for each row of a block; and its rows, unless they are written elsewhere.
 *
 * @param columns
 *   the columns, in the order that they have in rows
 * @param sizeBytes
 *   the bytes before each row that hold its size: 0, or 8
 */
final private[execution] class DecodedRows(layout: BlockLayout, columns: Array[Int], sizeBytes: Int) {
  import BlockLayout.WordBytes

  /** Writes rows with all columns, without size fields. */
  def this(layout: BlockLayout) = this(layout, Array.range(0, layout.columns), 0)

  private[this] val rowLayout = new BlockLayout(columns.map(layout.dataType))
  private[this] val areAll = columns.sameElements(Array.range(0, layout.columns))

  // For each sized column of the rows, its number among the sized columns of the block.
  private[this] val sizedNumbers = rowLayout.sized.map(field => layout.sized.indexOf(columns(field)))

  private[this] var rows = Array.emptyByteArray
  private[this] var places = new Array[Int](1)
  private[this] var filled = Array.emptyIntArray // for each row, the end of the values so far

  /** Start of each row, at its size field, and the end of the last, in bytes from the first. */
  def starts: Array[Int] = places

  /** Computes the starts of the rows of a block. Returns the size of all rows in bytes. */
  def measure(block: BlockDecoder): Int = {
    val count = block.count
    if (filled.length < count) {
      filled = new Array[Int](count + count / 4)
      places = new Array[Int](filled.length + 1)
    }
    Arrays.fill(places, 0, count + 1, sizeBytes + rowLayout.fixedBytes)
    sizedNumbers.indices.foreach { i =>
      val column = block.sized(sizedNumbers(i))
      var row = 0
      while (row < count) {
        places(row + 1) += rowLayout.bytesInRow(rowLayout.sized(i), column.sizeOf(row))
        row += 1
      }
    }
    places(0) = 0
    var row = 0
    while (row < count) {
      places(row + 1) += places(row)
      row += 1
    }
    places(count)
  }

  /** Writes the rows of a block, so that [[pointTo]] can read them until the next block is written. */
  def write(block: BlockDecoder): Unit = {
    val size = measure(block)
    if (rows.length < size) rows = BlockLayout.bytes(size.toLong)
    write(block, rows, Platform.BYTE_ARRAY_OFFSET.toLong)
  }

  /** Points `row` to a row of the block. Rows must have no size fields. */
  def pointTo(row: UnsafeRow, number: Int): Unit = row.pointTo(
    rows,
    Platform.BYTE_ARRAY_OFFSET + places(number).toLong,
    places(number + 1) - places(number)
  )

  /** Writes the rows of the block that was measured last, from an address on. */
  def write(block: BlockDecoder, base: AnyRef, offset: Long): Unit = {
    if (sizeBytes > 0) writeSizes(block.count, base, offset)
    writeNulls(block, base, offset)
    rowLayout.fixed.foreach(writeWords(block, _, base, offset))
    Arrays.fill(filled, 0, block.count, rowLayout.fixedBytes)
    sizedNumbers.indices.foreach(i => writeValues(block, i, base, offset))
  }

  private def writeSizes(count: Int, base: AnyRef, offset: Long): Unit = {
    var row = 0
    while (row < count) {
      Platform.putLong(base, offset + places(row), (places(row + 1) - places(row) - sizeBytes).toLong)
      row += 1
    }
  }

  private def writeNulls(block: BlockDecoder, base: AnyRef, offset: Long): Unit = {
    var lane = 0
    while (lane < rowLayout.nullLanes) {
      val to = offset + sizeBytes + lane * WordBytes
      var row = 0
      while (row < block.count) {
        Platform.putLong(base, to + places(row), if (areAll) block.nullWords(lane)(row) else 0L)
        row += 1
      }
      lane += 1
    }
    if (!areAll)
      columns.indices.foreach(field =>
        if (block.anyNull(columns(field))) writeNullsOf(block, field, base, offset)
      )
  }

  private def writeNullsOf(block: BlockDecoder, field: Int, base: AnyRef, offset: Long): Unit = {
    val to = offset + sizeBytes + (field >> 6) * WordBytes
    var row = 0
    while (row < block.count) {
      if (block.isNull(columns(field), row))
        Platform.putLong(base, to + places(row), Platform.getLong(base, to + places(row)) | 1L << field)
      row += 1
    }
  }

  private def writeWords(block: BlockDecoder, field: Int, base: AnyRef, offset: Long): Unit = {
    val column = columns(field)
    val words = block.words(column)
    val mask = -1L >>> layout.unusedBits(column)
    val to = offset + sizeBytes + (rowLayout.nullLanes + field) * WordBytes
    val count = block.count
    var row = 0
    if (!block.anyNull(column)) while (row < count) {
      Platform.putLong(base, to + places(row), words(row) & mask)
      row += 1
    }
    else
      while (row < count) {
        Platform.putLong(base, to + places(row), if (block.isNull(column, row)) 0L else words(row) & mask)
        row += 1
      }
  }

  private def writeValues(block: BlockDecoder, number: Int, base: AnyRef, offset: Long): Unit = {
    val field = rowLayout.sized(number)
    val column = block.sized(sizedNumbers(number))
    val word = (rowLayout.nullLanes + field) * WordBytes
    var row = 0
    while (row < block.count) {
      val to = offset + sizeBytes + places(row)
      val size = column.sizeOf(row)
      val inRow = rowLayout.bytesInRow(field, size)
      val isNothing = inRow == 0 && block.isNull(column.ordinal, row)
      Platform.putLong(base, to + word, if (isNothing) 0L else filled(row).toLong << 32 | size)
      if (inRow > 0) copy(block.bytes, column.placeOf(row), size, base, to + filled(row), inRow)
      filled(row) += inRow
      row += 1
    }
  }

  /** Copies bytes, and writes zeros after them up to `inRow` bytes. */
  private def copy(from: AnyRef, place: Long, size: Int, to: AnyRef, at: Long, inRow: Int): Unit = {
    // Clears the words at the end that the value does not fill.
    var i = inRow - WordBytes
    while (i >= 0 && i >= size - 7) {
      Platform.putLong(to, at + i, 0L)
      i -= WordBytes
    }
    Platform.copyMemory(from, place, to, at, size.toLong)
  }
}
