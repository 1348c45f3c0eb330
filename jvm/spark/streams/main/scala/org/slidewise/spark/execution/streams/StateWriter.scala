package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.slidewise.spark.errors.CorruptState

/** Appends numbers and byte arrays, big-endian; a `ByteBuffer` reads them. */
final private[streams] class StateWriter {
  private[this] var buffer = ByteBuffer.allocate(256)

  private def room(bytes: Int): ByteBuffer = {
    if (buffer.remaining < bytes) {
      val wanted = math.max(buffer.capacity * 2L, buffer.position().toLong + bytes)
      val larger = ByteBuffer.allocate(Math.toIntExact(math.min(wanted, Int.MaxValue - 8L)))
      buffer.flip()
      larger.put(buffer)
      buffer = larger
    }
    buffer
  }

  def int(value: Int): Unit = room(4).putInt(value)
  def long(value: Long): Unit = room(8).putLong(value)

  def bytes(value: Array[Byte]): Unit = {
    int(value.length)
    room(value.length).put(value)
  }

  /** The bytes written since the last call. */
  def result(): Array[Byte] = {
    val bytes = java.util.Arrays.copyOf(buffer.array, buffer.position())
    buffer.clear()
    bytes
  }
}

private[streams] object StateWriter {

  def readBytes(in: ByteBuffer): Array[Byte] = {
    val length = in.getInt()
    if (length < 0 || length > in.remaining)
      throw new CorruptState(s"$length bytes are announced, ${in.remaining} are there")
    val bytes = new Array[Byte](length)
    in.get(bytes)
    bytes
  }
}
