package org.slidewise.spark.execution.blocks

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * An iterator over rows, some of which are in blocks. The iterator reuses the row object, so a row is valid until the next row is
 * requested. A caller can read a whole block instead, if no row of the block has been read.
 */
abstract private[execution] class RowsInBlocks extends AbstractIterator[InternalRow] {

  /** Whether the next rows are a whole block. There must be a next row. */
  def isBlockNext: Boolean

  /** Decodes the next block. The iterator skips the rows of this block, unless [[giveBack]] is called. */
  def nextBlock(): BlockDecoder

  /** Returns the last block to the iterator, whose next rows are then the rows of this block. */
  def giveBack(): Unit

  /** A row of the last block, in a row object that is reused. */
  def rowAt(place: Int): UnsafeRow
}

/** An iterator over the rows of blocks that a single decoder decodes one after the other. */
sealed abstract private[execution] class DecodedBlocks(layout: BlockLayout) extends RowsInBlocks {
  final protected[this] val decoder = new BlockDecoder(layout)
  private[this] val writer = new DecodedRows(layout)
  private[this] val row = new UnsafeRow(layout.columns)
  private[this] var number = 0
  private[this] var written = false

  /** Whether there is a block to decode. */
  protected def hasBlock: Boolean

  /** Decodes the next block, which has rows. */
  protected def decode(): Unit

  final override def hasNext: Boolean = number < decoder.count || hasBlock

  final override def next(): InternalRow = {
    if (number == decoder.count) {
      turn()
      number = 0
    }
    number += 1
    rowAt(number - 1)
  }

  final override def isBlockNext: Boolean = number == decoder.count

  final override def nextBlock(): BlockDecoder = {
    turn()
    number = decoder.count
    decoder
  }

  final override def giveBack(): Unit = number = 0

  final override def rowAt(place: Int): UnsafeRow = {
    if (!written) writer.write(decoder)
    written = true
    writer.pointTo(row, place)
    row
  }

  private def turn(): Unit = {
    decode()
    written = false
  }
}

/**
 * The rows of blocks.
 *
 * @param plain
 *   whether a [[PlainEncoder]] encoded the blocks
 */
final private[execution] class BlockRows(
    blocks: Iterator[InternalRow],
    layout: BlockLayout,
    plain: Boolean = false
) extends DecodedBlocks(layout) {

  override protected def hasBlock: Boolean = blocks.hasNext

  override protected def decode(): Unit = {
    val block = blocks.next().asInstanceOf[UnsafeRow]
    if (plain) decoder.decodePlain(block) else decoder.decode(block)
  }
}

/** The rows of batches. Each batch is one block, or several blocks if it has many rows. */
final private[execution] class BatchRows(batches: Iterator[ColumnarBatch], layout: BlockLayout)
    extends DecodedBlocks(layout) {
  private[this] val inTurn = new BatchesInTurn(batches)

  // The rows decoded so far, and the rows of the batch. A columnar reader may change the batch when the next batch is requested.
  private[this] var taken, rows = 0

  override protected def hasBlock: Boolean = {
    while (taken == rows && inTurn.advance()) {
      taken = 0
      rows = inTurn.batch.numRows
    }
    taken < rows
  }

  override protected def decode(): Unit = {
    if (!hasBlock) throw new NoSuchElementException("there are no more batches")
    decoder.decodeBatch(inTurn.batch, taken, rows - taken)
    taken += decoder.count
  }
}
