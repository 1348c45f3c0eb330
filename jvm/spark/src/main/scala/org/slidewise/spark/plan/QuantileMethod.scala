package org.slidewise.spark.plan

import org.slidewise.core.multisets.{Interpolation, RankRule}

/** The rule that computes a quantile from the n sorted values of a frame: from one element, or from several. */
sealed trait QuantileMethod extends Serializable

object QuantileMethod {

  /**
   * The value at the position `(n - 1) * fraction`, interpolated between the two nearest elements: `percentile`, `median`,
   * `percentile_cont`.
   *
   * @param byDifference
   *   whether interpolation adds a share of the difference to the first value; otherwise it computes a weighted mean
   */
  final case class Interpolated(byDifference: Boolean) extends QuantileMethod {
    def interpolation: Interpolation =
      if (byDifference) Interpolation.ByDifference else Interpolation.WeightedMean
  }

  /** A quantile that is one element. */
  sealed trait Ranked extends QuantileMethod {
    protected def rule(fraction: Double): RankRule

    /**
     * @param descending
     *   whether values are counted from the greatest
     */
    def rank(fraction: Double, descending: Boolean): RankRule =
      if (descending) RankRule.descending(rule(fraction)) else rule(fraction)
  }

  /** The element at the position `(n - 1) * fraction`, rounded down: `percentile_disc` as it was before Spark 3.5. */
  case object Lower extends Ranked {
    override protected def rule(fraction: Double): RankRule = RankRule.lower(fraction)
  }

  /** The first element whose cumulative distribution is at least the fraction: `percentile_disc`. */
  case object Discrete extends Ranked {
    override protected def rule(fraction: Double): RankRule = RankRule.discrete(fraction)
  }

  /** The element of [[Discrete]], converted to a double and back, as `percentile_approx` does. */
  case object Approximate extends Ranked {
    override protected def rule(fraction: Double): RankRule = RankRule.discrete(fraction)
  }
}
