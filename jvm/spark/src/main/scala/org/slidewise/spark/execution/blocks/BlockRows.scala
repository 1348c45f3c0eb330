package org.slidewise.spark.execution.blocks

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.shims.SparkBatches

/**
 * Rows of which some come in blocks; the same object each time. A row is no longer valid when the next one is requested. Who knows
 * of blocks can take them whole, where no row of one has been taken.
 */
abstract private[execution] class RowsInBlocks extends AbstractIterator[InternalRow] {

  /** Whether the next rows are those of a whole block. There must be rows. */
  def isBlockNext: Boolean

  /** Decodes the next block. Its rows do not come any more, unless it is given back. */
  def nextBlock(): BlockDecoder

  /** Gives the block back that was taken last: its rows come next. */
  def giveBack(): Unit

  /** A row of the block that was taken last; the same object each time. */
  def rowAt(place: Int): UnsafeRow
}

/** The rows of blocks that one decoder decodes one after the other. */
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
 *   whether the blocks are those of a [[PlainEncoder]]
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

/** The rows of batches, each of which is one block, or more if it has many rows. */
final private[execution] class BatchRows(batches: Iterator[ColumnarBatch], layout: BlockLayout)
    extends DecodedBlocks(layout) {
  private[this] var batch: ColumnarBatch = _

  // Of the batch's rows, whose number a reader may change that is asked for more.
  private[this] var taken, rows = 0

  override protected def hasBlock: Boolean = {
    while (taken == rows && batches.hasNext) {
      if (batch != null) SparkBatches.free(batch)
      batch = batches.next()
      taken = 0
      rows = batch.numRows
    }
    taken < rows
  }

  override protected def decode(): Unit = {
    if (!hasBlock) throw new NoSuchElementException("there are no more batches")
    decoder.decodeBatch(batch, taken, rows - taken)
    taken += decoder.count
  }
}
