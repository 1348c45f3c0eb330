package org.slidewise.spark.execution.blocks

import org.apache.spark.unsafe.Platform

/**
 * Encodes rows without compression, for blocks that the same task reads again: copies the lanes and the bytes of values.
 * [[BlockDecoder.decodePlain]] reads them. Memory: the block.
 */
final private[execution] class PlainEncoder(layout: BlockLayout) extends RowsEncoder {
  import BlockLayout.WordBytes

  private[this] var block = Array.emptyByteArray

  override def bytes: Array[Byte] = block

  override def encode(rows: StagedRows): Int = {
    val laneBytes = rows.count * WordBytes
    val size = WordBytes + layout.lanes * laneBytes + ((rows.used + WordBytes - 1) & -WordBytes)
    if (block.length < size) block = BlockLayout.bytes(size.toLong)
    Platform.putLong(block, Platform.BYTE_ARRAY_OFFSET.toLong, rows.count.toLong)
    var at = Platform.BYTE_ARRAY_OFFSET.toLong + WordBytes
    var lane = 0
    while (lane < layout.lanes) {
      val from = Platform.LONG_ARRAY_OFFSET + lane.toLong * rows.capacity * WordBytes
      Platform.copyMemory(rows.words, from, block, at, laneBytes.toLong)
      at += laneBytes
      lane += 1
    }
    Platform.copyMemory(rows.bytes, Platform.BYTE_ARRAY_OFFSET.toLong, block, at, rows.used.toLong)
    size
  }
}
