package org.slidewise.core.summaries

/** Writes numbers of any width in bits, lowest bit first. */
private[summaries] final class BitWriter {
  private var bytes = new Array[Byte](64)
  private var written = 0L

  def bits: Long = written

  def write(value: Long, width: Int): Unit = {
    var left = width
    var rest = value
    while (left > 0) {
      val at = (written >>> 3).toInt
      if (at == bytes.length) bytes = java.util.Arrays.copyOf(bytes, bytes.length * 2)
      val free = 8 - (written & 7).toInt
      val taken = math.min(free, left)
      val part = (rest & ((1L << taken) - 1)) << (8 - free)
      bytes(at) = (bytes(at) | part).toByte
      rest >>>= taken
      left -= taken
      written += taken
    }
  }

  /** Writes a variable-length integer: seven bits in each byte, and a continuation bit. */
  def writeVariable(value: Long): Unit = {
    var rest = value
    while ((rest & ~0x7fL) != 0) {
      write((rest & 0x7f) | 0x80, 8)
      rest >>>= 7
    }
    write(rest, 8)
  }

  /** Writes a number from 1 on in Elias delta code: about log n + 2 log log n bits. */
  def writeElias(value: Long): Unit = {
    val digits = Arguments.width(value)
    val digitsOfDigits = Arguments.width(digits.toLong)
    write(1L << (digitsOfDigits - 1), digitsOfDigits)
    write(digits.toLong, digitsOfDigits - 1)
    write(value, digits - 1)
  }

  def writeBytes(bytes: Array[Byte]): Unit = {
    writeVariable(bytes.length.toLong)
    bytes.foreach(byte => write(byte.toLong, 8))
  }

  def writeDouble(value: Double): Unit = write(java.lang.Double.doubleToRawLongBits(value), 64)

  def toBytes: Array[Byte] = java.util.Arrays.copyOf(bytes, ((written + 7) >>> 3).toInt)
}

/** Reads the output of a [[BitWriter]]. */
private[summaries] final class BitReader(bytes: Array[Byte]) {
  private var position = 0L

  /** The number of bits that have not been read. */
  def left: Long = bytes.length * 8L - position

  /** Fails if fewer than `bits` are left. Callers allocate memory for stored bits only after this check. */
  def require(bits: Long): Unit =
    if (bits < 0 || bits > left)
      throw new IllegalArgumentException(
        s"bytes ends after ${bytes.length} bytes: it must be a whole summary as toBytes made it"
      )

  def read(width: Int): Long = {
    require(width.toLong)
    var value = 0L
    var got = 0
    while (got < width) {
      val free = 8 - (position & 7).toInt
      val taken = math.min(free, width - got)
      val part = (bytes((position >>> 3).toInt) >>> (8 - free)) & ((1 << taken) - 1)
      value |= part.toLong << got
      got += taken
      position += taken
    }
    value
  }

  def readVariable(): Long = {
    var value = 0L
    var shift = 0
    var more = true
    while (more) {
      val next = read(8)
      value |= (next & 0x7f) << shift
      shift += 7
      more = (next & 0x80) != 0 && shift < 64
    }
    value
  }

  def readElias(): Long = {
    var digitsOfDigits = 1
    while (read(1) == 0) digitsOfDigits += 1
    if (digitsOfDigits > 7) Format.damaged()
    val digits = (read(digitsOfDigits - 1) | (1L << (digitsOfDigits - 1))).toInt
    if (digits > 64) Format.damaged()
    read(digits - 1) | (1L << (digits - 1))
  }

  def readBytes(): Array[Byte] = {
    val length = readVariable()
    require(if (length > bytes.length) Long.MaxValue else length * 8)
    val read = new Array[Byte](length.toInt)
    for (i <- read.indices) read(i) = this.read(8).toByte
    read
  }

  def readDouble(): Double = java.lang.Double.longBitsToDouble(read(64))
}
