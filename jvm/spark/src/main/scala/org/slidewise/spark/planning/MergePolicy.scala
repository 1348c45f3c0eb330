package org.slidewise.spark.planning

import java.util.Locale

import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.{EvaluationMethod, FunctionDescription, Merging}

/**
 * Decides whether the aggregation buffers of a function are merged. Spark's window operator never merges; its GROUP BY does, but
 * in any order and with any function that claims to allow it.
 *
 * A function is merged if its description says that it merges. Functions of users and of other libraries are merged only while
 * `mergeUserAggregators` is true. All other functions are recalculated, as Spark does: a function in Java or Scala code that a
 * later Spark adds is not merged before it is described.
 *
 * @param approximate
 *   whether functions that promise an error bound may be merged, which keeps the bound but may change the result
 * @param mergeUserAggregators
 *   whether aggregates of users and of other libraries are merged
 * @param neverMerge
 *   names of functions that are not merged, in lower case
 */
final case class MergePolicy(approximate: Boolean, mergeUserAggregators: Boolean, neverMerge: Set[String]) {
  import MergePolicy._

  /** The reason why the buffers of the function are not merged, and what is done instead; none if they are merged. */
  def reasonNotToMerge(function: FunctionDescription): Option[String] =
    whyNotToMerge(function).map { why =>
      if (!isNamed(function) && function.merging == Merging.HoldsRows)
        s"$why: merging costs as much as $Recalculating"
      else s"$why: $Recalculated"
    }

  /** The reason why the buffers of the function are not merged; none if they are. */
  def whyNotToMerge(function: FunctionDescription): Option[String] = {
    val name = function.name
    if (isNamed(function)) Some(named(name))
    else
      function.merging match {
        case Merging.Impossible    => Some(s"buffers of $name cannot be merged")
        case Merging.HoldsRows     => Some(s"a buffer of $name holds the values of the frame")
        case Merging.ChangesResult => Some(changes(name))
        case Merging.Approximate   => if (approximate) None else Some(isApproximate(name))
        case Merging.Unknown       => Some(s"Slidewise does not know $name of this Spark version")
        case Merging.Exact         => ofUser(function)
      }
  }

  /**
   * The reason why partial aggregates of panes are not merged to partial aggregates of windows; none if they are. Spark's `GROUP BY`
   * also computes and merges the partial aggregates of panes.
   */
  def reasonNotToMergePartials(function: FunctionDescription): Option[String] = {
    val name = function.name
    if (isNamed(function)) Some(named(name))
    else
      function.merging match {
        case Merging.ChangesResult               => Some(changes(name))
        case Merging.Approximate if !approximate => Some(isApproximate(name))
        case _                                   => ofUser(function)
      }
  }

  private def named(name: String) = s"$name is named in ${SlidewiseSettings.NeverMerge}"
  private def changes(name: String) = s"merging buffers of $name could change the result"

  private def isApproximate(name: String) =
    s"${SlidewiseSettings.MergeApproximate} is false and $name is approximate"

  private def ofUser(function: FunctionDescription): Option[String] =
    if (!function.isForeign || mergeUserAggregators) None
    else Some(s"${SlidewiseSettings.MergeUserAggregators} is false and ${function.name} is a user's")

  /** The method that merges partial aggregates of panes to partial aggregates of windows, with a note for a person to read. */
  def methodOfPartials(function: FunctionDescription): (EvaluationMethod, Option[String]) =
    if (function.multisetOfPartials.isDefined) EvaluationMethod.SlidingMultiset -> None
    else if (function.merging == Merging.HoldsRows)
      EvaluationMethod.Recalculation ->
        Some(
          s"a buffer of ${function.name} holds the values of the window: the panes are merged for each window"
        )
    else if (function.isSmall) EvaluationMethod.TwoStacksLite -> None
    else EvaluationMethod.TwoStacksLiteSketches -> None

  /** Whether the settings require recalculation of each frame of the function, even if array kernels could evaluate it. */
  def isRecalculated(function: FunctionDescription): Boolean =
    isNamed(function) || !approximate && function.merging == Merging.Approximate

  /** Whether a setting names the function among those that are never merged. */
  def isNamed(function: FunctionDescription): Boolean =
    neverMerge.contains(function.name.toLowerCase(Locale.ROOT))
}

object MergePolicy {
  private val Recalculated = "each frame is recalculated, as in Spark"
  private val Recalculating = "recalculating the frame, as Spark does"

  def of(conf: SQLConf): MergePolicy = MergePolicy(
    SlidewiseSettings.mergeApproximate(conf),
    SlidewiseSettings.mergeUserAggregators(conf),
    SlidewiseSettings.neverMerge(conf)
  )
}
