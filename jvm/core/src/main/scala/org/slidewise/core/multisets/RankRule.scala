package org.slidewise.core.multisets

/**
 * The rank of the element that an order statistic selects, as a function of the number of elements. Must be free of side effects.
 */
trait RankRule {

  /** The number of elements that precede the selected one, from 0 until `size`, for a `size` of 1 or more. */
  def rank(size: Long): Long
}

object RankRule {

  /**
   * The first element such that at least `fraction` of all are not after it: SQL's `percentile_disc`, and Spark's
   * `percentile_approx` without approximation. Computes `ceil(size * fraction)` in doubles, as Spark does; the first element for
   * fraction 0.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `fraction` is not from 0 to 1
   */
  def discrete(fraction: Double): RankRule = {
    checkFraction(fraction)
    new RankRule {
      def rank(size: Long): Long = math.min(size - 1, math.max(0L, math.ceil(size * fraction).toLong - 1))
    }
  }

  /**
   * The element at the position `(size - 1) * fraction`, rounded down: `percentile_disc` of Spark before 3.5.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `fraction` is not from 0 to 1
   */
  def lower(fraction: Double): RankRule = {
    checkFraction(fraction)
    new RankRule {
      def rank(size: Long): Long = math.floor((size - 1) * fraction).toLong
    }
  }

  /** `rule` for the elements in descending order. */
  def descending(rule: RankRule): RankRule = new RankRule {
    def rank(size: Long): Long = size - 1 - rule.rank(size)
  }

  private[multisets] def checkFraction(fraction: Double): Unit =
    require(0 <= fraction && fraction <= 1, s"fraction must be from 0 to 1, but is $fraction")
}
