package org.slidewise.spark.execution.columns

import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.blocks.BlockLayout

/** Decimals of more than 18 digits with unscaled values of 64 bits, as unsafe rows store them. */
private[execution] object WideDecimals {

  /** The number of bytes that a row holds for a value, after its fields. */
  final val Bytes: Int = 16

  /** For each field, wide or not, the offset of its value's bytes from the bytes of the first wide value; -1 if it is not wide. */
  def places(areWide: Seq[Boolean]): Array[Int] = {
    val before = areWide.scanLeft(0)((place, isWide) => if (isWide) place + Bytes else place)
    areWide.zip(before).map { case (isWide, place) => if (isWide) place else -1 }.toArray
  }

  /**
   * Writes a value into a row.
   *
   * @param row
   *   the address of the row
   * @param place
   *   the offset of the value's bytes from the row's address
   * @return
   *   the word of the field
   */
  def write(unscaled: Long, base: AnyRef, row: Long, place: Int): Long = {
    val bits =
      java.lang.Long.SIZE - java.lang.Long.numberOfLeadingZeros(if (unscaled < 0L) ~unscaled else unscaled)
    val size = bits / 8 + 1
    // The minimum number of bytes, in big-endian order.
    val bytes = unscaled << java.lang.Long.SIZE - 8 * size
    clear(base, row, place)
    Platform.putLong(
      base,
      row + place,
      if (BlockLayout.isLittleEndian) java.lang.Long.reverseBytes(bytes) else bytes
    )
    place.toLong << 32 | size
  }

  /** Writes the bytes of a null, as [[write]] does. */
  def clear(base: AnyRef, row: Long, place: Int): Long = {
    Platform.putLong(base, row + place, 0L)
    Platform.putLong(base, row + place + 8, 0L)
    place.toLong << 32
  }
}
