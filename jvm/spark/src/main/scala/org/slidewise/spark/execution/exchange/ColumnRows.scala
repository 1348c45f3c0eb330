package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.execution.blocks.{
  BatchesInTurn,
  BlockDecoder,
  BlockLayout,
  RowsInBlocks,
  VectorReader
}

/** Rows that are read column by column, one batch or block at a time. */
abstract private[exchange] class ColumnRows {

  /** Moves to the next rows. Returns false if there are none. */
  def advance(): Boolean

  /** The number of rows. */
  def count: Int

  /** Writes the partitions of the rows `from` to before `end` into `into`, from index 0 on. Called once for each row. */
  def partitions(from: Int, end: Int, into: Array[Int]): Unit

  def anyNull(column: Int): Boolean
  def isNull(column: Int, row: Int): Boolean

  /** Writes the words that `UnsafeRow`s hold for the values of one of [[BlockLayout.fixed]]; 0 for null. */
  def words(fixed: Int, from: Int, rows: Int, into: Array[Long]): Unit

  /**
   * Writes the bytes of the values of one of [[BlockLayout.sized]], which are valid until the next call of [[advance]]; null for
   * null.
   */
  def values(sized: Int, from: Int, rows: Int, into: Array[UTF8String]): Unit

  /** A row, valid until the next call. */
  def row(number: Int): UnsafeRow
}

/** The rows of batches. */
final private[exchange] class BatchColumns(
    batches: Iterator[ColumnarBatch],
    ids: PartitionIds,
    layout: BlockLayout
) extends ColumnRows {
  private[this] val readers = layout.fixed.map(VectorReader.ofWords(layout, _))
  private[this] val sizedReaders = layout.sized.map(VectorReader.ofBytes(layout, _))
  private[this] val whole = UnsafeProjection.create(Array.tabulate(layout.columns)(layout.dataType))
  private[this] val inTurn = new BatchesInTurn(batches)

  // Stored, because a columnar reader may change a batch that it has returned when the next batch is requested.
  private[this] var rows = 0

  override def count: Int = rows

  override def advance(): Boolean = inTurn.advance() && {
    rows = batch.numRows
    true
  }

  private def batch: ColumnarBatch = inTurn.batch

  override def partitions(from: Int, end: Int, into: Array[Int]): Unit = ids.read(batch, from, end, into)
  override def anyNull(column: Int): Boolean = batch.column(column).hasNull
  override def isNull(column: Int, row: Int): Boolean = batch.column(column).isNullAt(row)

  override def words(fixed: Int, from: Int, rows: Int, into: Array[Long]): Unit =
    readers(fixed).read(batch, from, rows, into)

  override def values(sized: Int, from: Int, rows: Int, into: Array[UTF8String]): Unit =
    sizedReaders(sized).read(batch, from, rows, into)

  override def row(number: Int): UnsafeRow = whole(batch.getRow(number))
}

/** Determines the partitions of the rows of blocks. */
abstract private[execution] class BlockPartitions {

  /** Moves to the rows of a block. */
  def begin(block: BlockDecoder): Unit

  /** The partition of a row. Called once for each row, in order. */
  def of(row: Int): Int
}

/** The rows of blocks. */
final private[exchange] class BlockColumns(
    blocks: RowsInBlocks,
    ids: BlockPartitions,
    layout: BlockLayout
) extends ColumnRows {
  private[this] var block: BlockDecoder = _

  override def advance(): Boolean = blocks.hasNext && {
    block = blocks.nextBlock()
    ids.begin(block)
    true
  }

  override def count: Int = if (block == null) 0 else block.count

  override def partitions(from: Int, end: Int, into: Array[Int]): Unit = {
    var row = from
    while (row < end) {
      into(row - from) = ids.of(row)
      row += 1
    }
  }

  override def anyNull(column: Int): Boolean = block.anyNull(column)
  override def isNull(column: Int, row: Int): Boolean = block.isNull(column, row)

  override def words(fixed: Int, from: Int, rows: Int, into: Array[Long]): Unit = {
    val column = layout.fixed(fixed)
    val found = block.words(column)
    val mask = -1L >>> layout.unusedBits(column)
    var i = 0
    if (!block.anyNull(column)) while (i < rows) {
      into(i) = found(from + i) & mask
      i += 1
    }
    else
      while (i < rows) {
        into(i) = if (block.isNull(column, from + i)) 0L else found(from + i) & mask
        i += 1
      }
  }

  override def values(sized: Int, from: Int, rows: Int, into: Array[UTF8String]): Unit = {
    val column = layout.sized(sized)
    var i = 0
    while (i < rows) {
      into(i) = if (block.isNull(column, from + i)) null else block.valueOf(sized, from + i)
      i += 1
    }
  }

  override def row(number: Int): UnsafeRow = blocks.rowAt(number)
}
