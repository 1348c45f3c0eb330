package org.slidewise.spark.execution.blocks

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

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
) extends RowsInBlocks {
  private[this] val decoder = new BlockDecoder(layout)
  private[this] val writer = new DecodedRows(layout)
  private[this] val row = new UnsafeRow(layout.columns)
  private[this] var number, count = 0
  private[this] var written = false

  override def hasNext: Boolean = number < count || blocks.hasNext

  override def next(): InternalRow = {
    if (number == count) {
      decode()
      number = 0
    }
    number += 1
    rowAt(number - 1)
  }

  override def isBlockNext: Boolean = number == count

  override def nextBlock(): BlockDecoder = {
    decode()
    number = count
    decoder
  }

  override def giveBack(): Unit = number = 0

  override def rowAt(place: Int): UnsafeRow = {
    if (!written) writer.write(decoder)
    written = true
    writer.pointTo(row, place)
    row
  }

  private def decode(): Unit = {
    val block = blocks.next().asInstanceOf[UnsafeRow]
    if (plain) decoder.decodePlain(block) else decoder.decode(block)
    count = decoder.count
    written = false
  }
}
