package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.SpecifiedWindowFrame
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.expressions.FixedSizeBuffer

/**
 * How the frames of an aggregate function are answered; `toString` is what EXPLAIN shows.
 *
 * Functions of one frame share their states only within one algorithm, so that a list or a sketch does not decide
 * how many states a sum may keep.
 */
sealed abstract class Algorithm(override val toString: String)

object Algorithm {

  /** The core's kernels over arrays: for sums, counts, means, extremes and variances of numbers, where Slidewise sorts. */
  case object ArrayKernels extends Algorithm("array-kernels")

  /** Two-Stacks Lite over small states. */
  case object TwoStacksLite extends Algorithm("two-stacks-lite")

  /** Two-Stacks Lite over sketches and other large states, with checkpoints where they do not all fit. */
  case object TwoStacksLiteSketches extends Algorithm("two-stacks-lite-sketches")

  /** A summary of the last rows, within an error: no row is kept. */
  case object AdditiveSummaries extends Algorithm("additive-summaries")

  /** Each frame from its rows: for functions whose state holds the frame's rows themselves. */
  case object Recalculation extends Algorithm("recalculation")

  /**
   * @param mergeApproximate
   *   whether functions that promise an answer within an error may be answered from summaries or merged states, which keep
   *   that promise and may give another answer within it
   */
  def of(function: AggregateFunction, frame: SpecifiedWindowFrame, mergeApproximate: Boolean): Algorithm =
    function match {
      case f if mergeApproximate && SummaryFrame.fits(f, frame) => AdditiveSummaries
      case f if ShortFrame.fits(f, frame)                       => Recalculation
      case _: DeclarativeAggregate | _: FixedSizeBuffer         => TwoStacksLite
      case f if StateSize.mustRecalculate(f)                    => Recalculation
      case f if StateSize.isApproximate(f) && !mergeApproximate => Recalculation
      case _                                                    => TwoStacksLiteSketches
    }
}
