package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.expressions._
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.EvaluationMethod._

/**
 * Chooses how the frames of an aggregate function are evaluated row by row.
 *
 * Functions of one frame share their aggregation buffers within one method only, so that a list or a sketch does not decide
 * how many buffers a sum may keep.
 *
 * @param keepsRows
 *   of which frames the rows can be read again when they leave, so that distinct values are counted
 * @param refersToRows
 *   whether the rows of moving frames can be read at any place, so that their values need no buffers
 */
final class MethodChoice(
    merging: MergePolicy,
    keepsRows: SpecifiedWindowFrame => Boolean,
    refersToRows: Boolean
) {
  import MethodChoice._

  /** The method, and what a person should know of it. */
  def of(
      function: AggregateFunction,
      filter: Option[Expression],
      frame: SpecifiedWindowFrame
  ): (EvaluationMethod, Option[String]) =
    function match {
      case f if isOfMultiset(f) && keepsRows(frame) && !merging.isNamed(f) => SlidingMultiset -> None
      case _ if FrameShape.isGrowing(frame)                                => Running -> None
      case f if refersToRows && !FrameShape.isUnbounded(frame) && RowReference.of(f, filter).isDefined =>
        RowReferences -> None
      case f: SummarizesLastRows
          if merging.approximate && !merging.isNamed(function) && fitsSummary(f, frame) =>
        AdditiveSummaries -> None
      case f if isShort(f, frame) => Recalculation -> Some(Short)
      case f                      =>
        merging.reasonNotToMerge(f) match {
          case Some(reason)       => Recalculation -> Some(reason)
          case None if isSmall(f) => TwoStacksLite -> None
          case None               => TwoStacksLiteSketches -> None
        }
    }

  /** The function as a part of a plan, whose result is the operator's `answer`th. */
  def planned(
      function: AggregateFunction,
      filter: Option[Expression],
      answer: Int,
      method: EvaluationMethod
  ): PlannedAggregate =
    PlannedAggregate(
      function,
      filter,
      answer,
      guardOf(function, method),
      MergePolicy.isForeign(function)
    )

  /** What tells of a frame that must be recalculated; only merged buffers need it. */
  private def guardOf(
      function: AggregateFunction,
      method: EvaluationMethod
  ): Option[MagnitudeExceeds] =
    if (method == Recalculation || method == Running) None else MagnitudeExceeds.of(function)
}

object MethodChoice {
  private val Short = "the frame is so short that recalculating it is faster than merging"

  /**
   * Whether distinct values and the number of rows that hold each are enough for the function. Of strings that a collation makes
   * equal, and of equal maps, it is known which came first, but not which are left when that one leaves the frame.
   */
  private def isOfMultiset(function: AggregateFunction): Boolean = function match {
    case DistinctAggregate(_: Count, _, _) => true
    case distinct: DistinctAggregate => distinct.arguments.forall(a => DistinctRows.hasEqualBytes(a.dataType))
    case mode: Mode                  =>
      RowOrdering.isOrderable(mode.child.dataType) && DistinctRows.hasEqualBytes(mode.child.dataType)
    case percentile: PercentileBase => isQuantile(percentile)
    case _                          => false
  }

  /** Whether the function is an exact quantile of numbers that a double or a long holds. */
  private[planning] def isQuantile(function: PercentileBase): Boolean =
    QuantileMethod.of(function).isDefined &&
      (ArrayInputs.isFractional(function.child) || ArrayInputs.isWhole(function.child.dataType))

  /** Below this ε a summary would take more than a few megabytes. */
  private val LeastError = 1e-6

  private def fitsSummary(function: SummarizesLastRows, frame: SpecifiedWindowFrame): Boolean =
    function.allowedError >= LeastError && FrameShape.lastRows(frame).isDefined

  /** Whether a buffer takes a few dozen bytes, whatever has been aggregated. */
  private[planning] def isSmall(function: AggregateFunction): Boolean = function match {
    case _: DeclarativeAggregate | _: FixedSizeBuffer => true
    case _                                            => false
  }

  /** Frames of so few rows that aggregating them again costs less than keeping and merging buffers, as measured. */
  private def isShort(function: AggregateFunction, frame: SpecifiedWindowFrame): Boolean = {
    val longest = function match {
      case f if isSmall(f)        => 2L
      case _: HyperLogLogPlusPlus => 8L
      case f: NthOfFrame          => 4L * f.n
      case _                      => 0L
    }
    FrameShape.length(frame).exists(_ <= longest)
  }
}
