package org.slidewise.core.multisets

/** The value at a position between two ranks. The arithmetic decides the last digits, and the result for infinities. */
abstract class Interpolation {

  /**
   * @param higher
   *   the value of the next rank after that of `lower`
   * @param position
   *   the position between the two ranks
   * @param rank
   *   the rank of `lower`
   */
  def between(lower: Double, higher: Double, position: Double, rank: Long): Double
}

object Interpolation {

  /** The mean of both values, weighted by their distance from the position: Spark's up to 4.2. */
  object WeightedMean extends Interpolation {
    def between(lower: Double, higher: Double, position: Double, rank: Long): Double =
      (rank + 1 - position) * lower + (position - rank) * higher
  }

  /** The lower value, and a share of the difference: Spark's since 4.3. The difference of two infinities is NaN. */
  object ByDifference extends Interpolation {
    def between(lower: Double, higher: Double, position: Double, rank: Long): Double =
      lower + (position - rank) * (higher - lower)
  }
}
