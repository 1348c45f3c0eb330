package org.slidewise.core.multisets

import org.slidewise.core.batch.Frames

/**
 * Evaluates percentiles of each frame, through [[OrderStatistics]]. The percentiles of one call share the multiset, with a cursor
 * each.
 *
 * '''Cost.''' For each row that enters or leaves, and each percentile: amortised constant time, but for the neighbours in the set
 * of present codes (see [[OrderStatistics]]). Memory: [[Percentiles.BytesARow]] for each code of the largest column, kept for the
 * next column. Not safe for concurrent use.
 *
 * All methods throw java.lang.IllegalArgumentException if an array is too short or a fraction is not from 0 to 1.
 */
final class Percentiles private[multisets] (statistics: OrderStatistics) {

  def this() = this(new OrderStatistics)

  /**
   * Writes the percentiles of each frame, interpolated between the two nearest values: Spark's `percentile` and `percentile_cont`.
   * The result for a frame without values is NaN; [[org.slidewise.core.kernels.Validity.ofFrames]] finds these frames.
   *
   * @param dictionary
   *   the dictionary of the column, encoded in order
   * @param values
   *   converts its values to doubles
   * @param interpolation
   *   the arithmetic between two values
   * @param fractions
   *   the fractions, each from 0 to 1
   * @param descending
   *   whether the fractions count from the greatest value, as in `WITHIN GROUP (ORDER BY column DESC)`
   * @param out
   *   for each fraction an array, which receives a result for each frame
   */
  def interpolated(
      dictionary: ColumnDictionary,
      values: ValueDecoder,
      interpolation: Interpolation,
      fractions: Array[Double],
      descending: Boolean,
      frames: Frames,
      out: Array[Array[Double]]
  ): Unit = {
    fractions.foreach(RankRule.checkFraction)
    checkOut(fractions.length, out.length)
    out.foreach(each => SlidingMultiset.checkOut(each.length, frames))
    val cursors = open(dictionary.cardinality, fractions.length)
    new InterpolatedPercentiles(
      statistics,
      cursors,
      dictionary.values,
      values,
      interpolation,
      fractions,
      descending,
      out
    )
      .slide(dictionary.codes, frames)
  }

  /**
   * Writes the code of the element that each rule selects in each frame; -1 for a frame without values.
   *
   * @param codes
   *   the code of each row, from 0 until `cardinality`, which compare as the values do; negative for a null row
   * @param out
   *   for each rule an array, which receives a result for each frame
   */
  def ranked(
      codes: Array[Int],
      cardinality: Int,
      rules: Array[RankRule],
      frames: Frames,
      out: Array[Array[Int]]
  ): Unit = {
    checkOut(rules.length, out.length)
    out.foreach(each => SlidingMultiset.checkOut(each.length, frames))
    new Selection(statistics, open(cardinality, rules.length), rules, out).slide(codes, frames)
  }

  private def open(cardinality: Int, cursors: Int): Array[OrderStatistics.Cursor] = {
    statistics.reset(cardinality)
    Array.fill(cursors)(statistics.cursor())
  }

  private def checkOut(percentiles: Int, arrays: Int): Unit =
    require(
      percentiles <= arrays,
      s"out must have an array for each of the $percentiles percentiles, but has $arrays"
    )
}

object Percentiles {

  /** The most bytes for each row of the longest column. */
  final val BytesARow: Long = OrderStatistics.BytesARow
}

/** Slides [[OrderStatistics]]. */
private[multisets] abstract class SlidingStatistics(statistics: OrderStatistics) extends SlidingMultiset {
  private[multisets] final def add(code: Int): Unit = statistics.add(code)
  private[multisets] final def remove(code: Int): Unit = statistics.remove(code)
}

private[multisets] final class Selection(
    statistics: OrderStatistics,
    cursors: Array[OrderStatistics.Cursor],
    rules: Array[RankRule],
    out: Array[Array[Int]]
) extends SlidingStatistics(statistics) {

  private[multisets] def write(k: Int): Unit = {
    val size = statistics.size
    var i = 0
    while (i < rules.length) {
      out(i)(k) = if (size == 0) -1 else cursors(i).select(rules(i).rank(size))
      i += 1
    }
  }
}

private[multisets] final class InterpolatedPercentiles(
    statistics: OrderStatistics,
    cursors: Array[OrderStatistics.Cursor],
    values: Array[Long],
    decoder: ValueDecoder,
    interpolation: Interpolation,
    fractions: Array[Double],
    descending: Boolean,
    out: Array[Array[Double]]
) extends SlidingStatistics(statistics) {

  private[multisets] def write(k: Int): Unit = {
    val size = statistics.size
    var i = 0
    while (i < fractions.length) {
      out(i)(k) = if (size == 0) Double.NaN else at(cursors(i), (size - 1) * fractions(i), size - 1)
      i += 1
    }
  }

  private def at(cursor: OrderStatistics.Cursor, position: Double, last: Long): Double = {
    val lower = math.floor(position).toLong
    val higher = math.ceil(position).toLong
    val first = cursor.select(if (descending) last - higher else lower)
    if (lower == higher) value(first)
    else {
      val second = cursor.after(if (descending) last - lower else higher)
      if (first == second) value(first)
      else if (descending) between(value(second), value(first), position, lower)
      else between(value(first), value(second), position, lower)
    }
  }

  // -0.0 and 0.0 are equal.
  private def between(low: Double, high: Double, position: Double, rank: Long): Double =
    if (low == 0.0 && high == 0.0) low else interpolation.between(low, high, position, rank)

  private def value(code: Int): Double = decoder(values(code))
}
