package org.slidewise.core.kernels

import java.lang.Double.longBitsToDouble

/**
 * Aggregates of groups whose rows come in any order, such as the partitions of a window without an order: each row is added to the
 * aggregate of its group, in the order of the rows.
 *
 * '''Cost.''' A step for each row. Memory: only `out`. Where groups are many, each step waits for their aggregates.
 *
 * All methods take these arguments:
 *   - `groups`: for each row the number of its group, from 0 until the length of `out`;
 *   - `values` or `bits`: for each row its value, as a long or as the bits of a double; anything for a null;
 *   - `valid`: which rows are not null, as in [[Validity]]; the others are skipped;
 *   - `size`: the number of rows;
 *   - `out`: receives the aggregate of each group. What it held is overwritten.
 */
object GroupKernels {

  /** The number of values of each group. */
  def counts(groups: Array[Int], valid: Array[Long], size: Int, out: Array[Int]): Unit = {
    java.util.Arrays.fill(out, 0)
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) out(groups(i)) += 1
      i += 1
    }
  }

  /** Sums of doubles; 0.0 for a group without values. */
  def sums(groups: Array[Int], bits: Array[Long], valid: Array[Long], size: Int, out: Array[Double]): Unit = {
    java.util.Arrays.fill(out, DoubleSumOp.identity)
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) {
        val group = groups(i)
        out(group) = DoubleSumOp.combine(out(group), longBitsToDouble(bits(i)))
      }
      i += 1
    }
  }

  /** The greatest doubles, in Spark's order: NaN is greatest, and the first of equal values counts. */
  def greatest(
      groups: Array[Int],
      bits: Array[Long],
      valid: Array[Long],
      size: Int,
      out: Array[Double]
  ): Unit = {
    java.util.Arrays.fill(out, DoubleTotalMaxOp.identity)
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) {
        val group = groups(i)
        out(group) = DoubleTotalMaxOp.combine(out(group), longBitsToDouble(bits(i)))
      }
      i += 1
    }
  }

  /** The least doubles, in the same order. */
  def least(
      groups: Array[Int],
      bits: Array[Long],
      valid: Array[Long],
      size: Int,
      out: Array[Double]
  ): Unit = {
    java.util.Arrays.fill(out, DoubleTotalMinOp.identity)
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) {
        val group = groups(i)
        out(group) = DoubleTotalMinOp.combine(out(group), longBitsToDouble(bits(i)))
      }
      i += 1
    }
  }

  /**
   * Variances of doubles, by the updates of Welford that Spark uses; NaN for a group of `lost` values or fewer.
   *
   * @param lost
   *   the degrees of freedom lost: 1 for a sample, 0 for the population
   * @param counts
   *   receives the number of values of each group
   * @param means
   *   receives the means
   */
  def variances(
      groups: Array[Int],
      bits: Array[Long],
      valid: Array[Long],
      size: Int,
      lost: Int,
      counts: Array[Int],
      means: Array[Double],
      out: Array[Double]
  ): Unit = {
    java.util.Arrays.fill(counts, 0)
    java.util.Arrays.fill(means, 0.0)
    java.util.Arrays.fill(out, 0.0)
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) {
        val group = groups(i)
        val delta = longBitsToDouble(bits(i)) - means(group)
        counts(group) += 1
        val step = delta / counts(group)
        means(group) += step
        out(group) += delta * (delta - step)
      }
      i += 1
    }
    var group = 0
    while (group < out.length) {
      out(group) = if (counts(group) > lost) out(group) / (counts(group) - lost) else Double.NaN
      group += 1
    }
  }

  /**
   * Sums of longs, modulo 2^64^.
   *
   * @return
   *   whether no addition left 64 bits, so that all sums are exact
   */
  def sums(
      groups: Array[Int],
      values: Array[Long],
      valid: Array[Long],
      size: Int,
      out: Array[Long]
  ): Boolean = {
    java.util.Arrays.fill(out, 0L)
    var overflows = 0L // its sign says whether there was one
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) {
        val group = groups(i)
        val (before, value) = (out(group), values(i))
        val after = before + value
        overflows |= (before ^ after) & (value ^ after)
        out(group) = after
      }
      i += 1
    }
    overflows >= 0
  }

  /** The greatest longs; `Long.MinValue` for a group without values. */
  def greatest(
      groups: Array[Int],
      values: Array[Long],
      valid: Array[Long],
      size: Int,
      out: Array[Long]
  ): Unit = {
    java.util.Arrays.fill(out, LongMaxOp.identity)
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) {
        val group = groups(i)
        out(group) = LongMaxOp.combine(out(group), values(i))
      }
      i += 1
    }
  }

  /** The least longs; `Long.MaxValue` for a group without values. */
  def least(
      groups: Array[Int],
      values: Array[Long],
      valid: Array[Long],
      size: Int,
      out: Array[Long]
  ): Unit = {
    java.util.Arrays.fill(out, LongMinOp.identity)
    var i = 0
    while (i < size) {
      if (Validity.at(valid, i)) {
        val group = groups(i)
        out(group) = LongMinOp.combine(out(group), values(i))
      }
      i += 1
    }
  }
}
