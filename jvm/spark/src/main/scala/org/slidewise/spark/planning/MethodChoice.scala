package org.slidewise.spark.planning

import org.slidewise.spark.expressions.SummarizesLastRows
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.EvaluationMethod._

/**
 * Chooses the method that evaluates the frames of an aggregate function row by row.
 *
 * Functions over one frame share aggregation buffers only if they have the same method. The size of a list or a sketch thus does not
 * limit how many buffers a sum may keep.
 *
 * @param keepsRows
 *   whether evaluation can read the rows of a frame again when they leave it, as a multiset of distinct values requires
 * @param refersToRows
 *   whether evaluation can read any row of a moving frame, so that row references need no buffers
 */
final class MethodChoice(
    merging: MergePolicy,
    keepsRows: Frame => Boolean,
    refersToRows: Boolean
) {
  import MethodChoice._

  /** The method, with a note for a person to read. */
  def of(call: AggregateCall, frame: Frame): (EvaluationMethod, Option[String]) = {
    val function = call.description
    if (function.multiset.isDefined && keepsRows(frame) && !merging.isNamed(function)) SlidingMultiset -> None
    else if (refersToRows && call.reference.isDefined && (frame.isOfOtherRows || !frame.isUnbounded))
      RowReferences -> None
    else if (frame.isGrowing && frame.rowBounds.forall(_.mayRise)) Running -> None
    else if (isSummarized(function, frame)) AdditiveSummaries -> None
    else if (frame.length.exists(_ <= function.recalculatedRows)) Recalculation -> Some(Short)
    else
      merging.reasonNotToMerge(function) match {
        case Some(reason)             => Recalculation -> Some(reason)
        case None if function.isSmall => TwoStacksLite -> None
        case None                     => TwoStacksLiteSketches -> None
      }
  }

  private def isSummarized(function: FunctionDescription, frame: Frame): Boolean =
    merging.approximate && !merging.isNamed(function) && function.summary.exists(fits(_, frame))
}

object MethodChoice {
  private val Short = "the frame is so short that recalculating it is faster than merging"

  /** The least ε of a summary. With a smaller ε, a summary would take more than a few megabytes. */
  private val LeastError = 1e-6

  private def fits(function: SummarizesLastRows, frame: Frame): Boolean =
    function.allowedError >= LeastError && frame.lastRows.isDefined

  /**
   * The aggregate that finds the frames that must be recalculated. None if the method merges no buffers, because only merging needs
   * a guard.
   */
  def guardOf(call: AggregateCall, method: EvaluationMethod): Option[AggregateCall] =
    if (method == Recalculation || method == Running) None
    else call.description.guard.map(AggregateCall(_, call.filter))
}
