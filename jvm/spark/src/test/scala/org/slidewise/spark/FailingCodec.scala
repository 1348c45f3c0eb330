package org.slidewise.spark

import java.io.{FilterOutputStream, InputStream, IOException, OutputStream}

import org.apache.spark.SparkConf
import org.apache.spark.io.CompressionCodec

/** Compresses nothing, and behaves as on a full disk while [[FailingCodec.failing]] runs. */
class FailingCodec(conf: SparkConf) extends CompressionCodec {

  // As Spark's codecs, it takes the configuration.
  require(conf != null)

  override def compressedOutputStream(file: OutputStream): OutputStream = new FilterOutputStream(file) {
    private[this] var written = 0L

    override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
      written += length
      failIfFull()
      out.write(bytes, from, length)
    }

    /** As a compressor that cannot write its last block, leaves the file open. */
    override def close(): Unit = {
      failIfFull()
      out.close()
    }

    private def failIfFull(): Unit =
      if (FailingCodec.full && written > FailingCodec.Room) throw new IOException("No space left on device")
  }

  override def compressedInputStream(file: InputStream): InputStream = file
}

object FailingCodec {
  private val Room = 100000L
  @volatile private var full = false

  def failing[T](body: => T): T = {
    full = true
    try body
    finally full = false
  }
}
