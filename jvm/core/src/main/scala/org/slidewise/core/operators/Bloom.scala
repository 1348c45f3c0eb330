package org.slidewise.core.operators

import org.slidewise.core.LongAggregator

/**
 * A Bloom filter over longs: a set of `bits` bits, of which each element sets `hashes`.
 *
 * Lowers to the estimated number of distinct elements; [[mightContain]] asks for one element, as in
 * `window.query((cells, at) => bloom.mightContain(42L, cells, at))`.
 *
 * @param bits
 *   a power of two, at least 64
 * @param hashes
 *   1 or more
 * @throws java.lang.IllegalArgumentException
 *   if `bits` or `hashes` is not as said
 * @see
 *   Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM 1970
 */
final class Bloom(bits: Int, hashes: Int) extends LongAggregator {
  if (bits < 64 || Integer.bitCount(bits) != 1)
    throw new IllegalArgumentException(s"bits is $bits: it must be a power of two, 64 or more")
  if (hashes < 1) throw new IllegalArgumentException(s"hashes is $hashes: it must be 1 or more")

  override def commutative: Boolean = true
  override val width: Int = bits / 64

  override def identity(to: Array[Long], at: Int): Unit = java.util.Arrays.fill(to, at, at + width, 0L)

  override def copy(to: Array[Long], at: Int, from: Array[Long], fromAt: Int): Unit =
    System.arraycopy(from, fromAt, to, at, width)

  override def lift(in: Long, to: Array[Long], at: Int): Unit = {
    identity(to, at)
    val hash = mix(in)
    var i = 0
    while (i < hashes) {
      val bit = bitOf(hash, i)
      to(at + (bit >>> 6)) |= 1L << bit
      i += 1
    }
  }

  override def combine(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit = {
    var k = 0
    while (k < width) {
      to(at + k) = a(i + k) | b(j + k)
      k += 1
    }
  }

  /** The number of distinct elements that fits the number of bits set best. */
  override def lower(from: Array[Long], at: Int): Long = {
    var set = 0
    var k = 0
    while (k < width) {
      set += java.lang.Long.bitCount(from(at + k))
      k += 1
    }
    math.round(-bits.toDouble / hashes * math.log1p(-math.min(set, bits - 1).toDouble / bits))
  }

  /** False only if `in` is not among the elements that the state stands for. */
  def mightContain(in: Long, from: Array[Long], at: Int): Boolean = {
    val hash = mix(in)
    (0 until hashes).forall { i =>
      val bit = bitOf(hash, i)
      (from(at + (bit >>> 6)) & (1L << bit)) != 0L
    }
  }

  /** Double hashing: the i-th hash is the low half of `hash` plus i times its high half, made odd. */
  private def bitOf(hash: Long, i: Int): Int = (hash.toInt + i * ((hash >>> 32).toInt | 1)) & (bits - 1)

  private def mix(in: Long): Long = {
    val a = (in ^ (in >>> 33)) * 0xff51afd7ed558ccdL
    val b = (a ^ (a >>> 33)) * 0xc4ceb9fe1a85ec53L
    b ^ (b >>> 33)
  }
}
