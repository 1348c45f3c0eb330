package org.slidewise.spark.expressions

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer

import org.apache.spark.util.sketch.{BloomFilter, CountMinSketch}

/**
 * Reads Spark's Bloom filters and count-min sketches from bytes of a column. Spark's readers allocate the sizes that the bytes
 * announce. Here the sizes are compared with the length of the bytes first, so that a reader allocates at most four times
 * that length, and 64 KiB.
 */
private[expressions] object SparkSketches {

  /** Fails with an IllegalArgumentException or an IOException if `bytes` are no filter. */
  def bloomFilter(bytes: Array[Byte]): BloomFilter = {
    val in = new Sizes(bytes)
    val version = in.int(0)
    // Version 2 has a seed after the number of hash functions. The reader refuses other versions.
    if (version == 1 || version == 2) {
      val header = if (version == 1) 8 else 12
      val (hashes, words) = (in.int(4), in.int(header))
      in.check(words >= 1 && bytes.length == header + 4 + 8L * words)
      // An optimal filter has fewer hash functions than bits, and a lookup calls each.
      in.check(hashes >= 1 && hashes <= 64L * words)
    }
    BloomFilter.readFrom(new ByteArrayInputStream(bytes))
  }

  /** Fails with an IllegalArgumentException or an IOException if `bytes` are no sketch. */
  def countMin(bytes: Array[Byte]): CountMinSketch = {
    val in = new Sizes(bytes)
    if (in.int(0) == 1) {
      val (depth, width) = (in.int(12), in.int(16))
      in.check(depth >= 1 && width >= 1 && (bytes.length - 20) % 8 == 0)
      in.check((bytes.length - 20L) / 8 == depth + depth.toLong * width)
    }
    CountMinSketch.readFrom(bytes)
  }

  final private class Sizes(bytes: Array[Byte]) {
    private[this] val in = ByteBuffer.wrap(bytes)

    def int(at: Int): Int = {
      check(bytes.length >= at + 4)
      in.getInt(at)
    }

    def check(holds: Boolean): Unit =
      if (!holds) throw new IllegalArgumentException("bytes have another length than they announce")
  }
}
