package org.slidewise.core.operators

import org.slidewise.core.LongAggregator

/**
 * Bloom filter over longs: a set of `bits` bits, of which each element sets `hashes`.
 *
 * Lowers to the estimated number of distinct elements. [[mightContain]] tests for one element, as in
 * `window.query((cells, at) => bloom.mightContain(42L, cells, at))`. The layout of the cells is private.
 *
 * A state of one element stores its hash and no bits: a lift touches one or two cache lines, and a combine with such a state
 * sets `hashes` bits.
 *
 * @param bits
 *   a power of two, at least 64
 * @param hashes
 *   1 or more
 * @throws java.lang.IllegalArgumentException
 *   if `bits` or `hashes` is out of range
 * @see
 *   Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors", CACM 1970
 */
final class Bloom(bits: Int, hashes: Int) extends LongAggregator {
  import Bloom.{Empty, Many, One}

  if (bits < 64 || Integer.bitCount(bits) != 1)
    throw new IllegalArgumentException(s"bits is $bits: it must be a power of two, 64 or more")
  if (hashes < 1) throw new IllegalArgumentException(s"hashes is $hashes: it must be 1 or more")

  private[this] val words: Int = bits / 64

  override def commutative: Boolean = true

  /** The bits, or in their first word the hash of the only element; then the tag `Empty`, `One` or `Many`. */
  override val width: Int = words + 1

  override def identity(to: Array[Long], at: Int): Unit = to(at + words) = Empty

  override def lift(in: Long, to: Array[Long], at: Int): Unit = {
    to(at) = mix(in)
    to(at + words) = One
  }

  override def copy(to: Array[Long], at: Int, from: Array[Long], fromAt: Int): Unit = {
    val elements = from(fromAt + words)
    to(at + words) = elements
    if (elements == Many) copyBits(to, at, from, fromAt)
    else to(at) = from(fromAt)
  }

  override def combine(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit =
    if (a(i + words) == Many && b(j + words) == Many) {
      if (at == i && at == j) uniteAligned(to, a, b, at) else unite(to, at, a, i, b, j)
      to(at + words) = Many
    } else combineFew(to, at, a, i, b, j)

  private def unite(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit = {
    var k = 0
    while (k < words) {
      to(at + k) = a(i + k) | b(j + k)
      k += 1
    }
  }

  /**
   * Unites words at the same index of all three arrays. With one index, the JIT compiler knows that no word is read after it was
   * written, and vectorises.
   */
  private def uniteAligned(to: Array[Long], a: Array[Long], b: Array[Long], at: Int): Unit = {
    var k = at
    while (k < at + words) {
      to(k) = a(k) | b(k)
      k += 1
    }
  }

  /** [[combine]] for states of which at least one has at most one element. */
  private def combineFew(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit = {
    val olders = a(i + words)
    val newers = b(j + words)
    if (newers == Empty) copy(to, at, a, i)
    else if (olders == Empty) copy(to, at, b, j)
    else {
      val older = a(i)
      val newer = b(j)
      if (olders == Many) copyBits(to, at, a, i)
      else if (newers == Many) copyBits(to, at, b, j)
      else java.util.Arrays.fill(to, at, at + words, 0L)
      if (olders == One) setBits(older, to, at)
      if (newers == One) setBits(newer, to, at)
      to(at + words) = Many
    }
  }

  private def copyBits(to: Array[Long], at: Int, from: Array[Long], fromAt: Int): Unit =
    if ((to ne from) || at != fromAt) System.arraycopy(from, fromAt, to, at, words)

  private def setBits(hash: Long, to: Array[Long], at: Int): Unit = {
    var i = 0
    while (i < hashes) {
      val bit = bitOf(hash, i)
      to(at + (bit >>> 6)) |= 1L << bit
      i += 1
    }
  }

  /** The most likely number of distinct elements, given the number of bits set. */
  override def lower(from: Array[Long], at: Int): Long =
    if (from(at + words) != Many) from(at + words)
    else {
      var set = 0
      var k = 0
      while (k < words) {
        set += java.lang.Long.bitCount(from(at + k))
        k += 1
      }
      math.round(-bits.toDouble / hashes * math.log1p(-math.min(set, bits - 1).toDouble / bits))
    }

  /** Whether `in` may be among the elements of the state. False is always right. */
  def mightContain(in: Long, from: Array[Long], at: Int): Boolean = {
    val hash = mix(in)
    val elements = from(at + words)
    if (elements == Many) {
      var i = 0
      while (i < hashes && isSet(bitOf(hash, i), from, at)) i += 1
      i == hashes
    } else elements == One && from(at) == hash
  }

  private def isSet(bit: Int, from: Array[Long], at: Int): Boolean =
    (from(at + (bit >>> 6)) & (1L << bit)) != 0L

  /** Double hashing: the i-th hash is the low half of `hash` plus i times its high half, made odd. */
  private def bitOf(hash: Long, i: Int): Int = (hash.toInt + i * ((hash >>> 32).toInt | 1)) & (bits - 1)

  /** A bijection, so that no two elements have the same hash. */
  private def mix(in: Long): Long = {
    val a = (in ^ (in >>> 33)) * 0xff51afd7ed558ccdL
    val b = (a ^ (a >>> 33)) * 0xc4ceb9fe1a85ec53L
    b ^ (b >>> 33)
  }
}

private object Bloom {
  final val Empty = 0L
  final val One = 1L
  final val Many = 2L
}
