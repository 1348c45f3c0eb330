package org.slidewise.spark.planning

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.AggregateWindowFunction
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.execution.aggregate.{ScalaAggregator, ScalaUDAF, TypedAggregateExpression}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.{ApproximateAggregate, DistinctAggregate}
import org.slidewise.spark.plan.EvaluationMethod

/**
 * Decides whether the aggregation buffers of a function are merged. Spark's window operator never merges; its GROUP BY does,
 * but in any order and with any function that claims to allow it.
 *
 * Merged are Slidewise's own functions; those of Spark whose merge is an expression, but for those that are listed here; the
 * other functions of Spark that are listed here; and, while `mergeUserAggregators` is true, those of users and of other
 * libraries. All others are recalculated, as Spark does it: a function in Java or Scala code that a later Spark adds is not merged
 * before it is listed.
 *
 * @param approximate
 *   whether functions that promise an error bound may be merged, which keeps the bound but may change the result
 * @param mergeUserAggregators
 *   whether aggregates that neither Spark nor Slidewise brings are merged
 * @param neverMerge
 *   names of functions that are not merged, in lower case
 */
final case class MergePolicy(approximate: Boolean, mergeUserAggregators: Boolean, neverMerge: Set[String]) {
  import MergePolicy._

  /** Why the buffers of `function` are not merged, and what is done instead; none if they are merged. */
  def reasonNotToMerge(function: AggregateFunction): Option[String] =
    whyNotToMerge(function).map { why =>
      if (!isNamed(function) && holdsRows(function)) s"$why: merging costs as much as $Recalculating"
      else s"$why: $Recalculated"
    }

  /** Why the buffers of `function` are not merged; none if they are. */
  def whyNotToMerge(function: AggregateFunction): Option[String] = {
    val name = nameOf(function)
    val className = function.getClass.getName
    if (isNamed(function)) Some(s"$name is named in ${SlidewiseSettings.NeverMerge}")
    else if (function.isInstanceOf[AggregateWindowFunction]) Some(s"buffers of $name cannot be merged")
    else if (holdsRows(function)) Some(s"a buffer of $name holds the values of the frame")
    else if (changesWhenMerged.contains(className))
      Some(s"merging buffers of $name could change the result")
    else if (isApproximate(function))
      if (approximate) None
      else Some(s"${SlidewiseSettings.MergeApproximate} is false and $name is approximate")
    else if (isKnown(function)) None
    else if (isOfSpark(function)) Some(s"Slidewise does not know $name of this Spark version")
    else if (mergeUserAggregators) None
    else Some(s"${SlidewiseSettings.MergeUserAggregators} is false and $name is a user's")
  }

  /**
   * Why partial aggregates of panes, which Spark's `GROUP BY` makes and merges as well, are not merged to those of windows; none
   * if they are.
   */
  def reasonNotToMergePartials(function: AggregateFunction): Option[String] = {
    val name = nameOf(function)
    if (isNamed(function)) Some(s"$name is named in ${SlidewiseSettings.NeverMerge}")
    else if (changesWhenMerged.contains(function.getClass.getName))
      Some(s"merging buffers of $name could change the result")
    else if (isApproximate(function) && !approximate)
      Some(s"${SlidewiseSettings.MergeApproximate} is false and $name is approximate")
    else if (isForeign(function) && !mergeUserAggregators)
      Some(s"${SlidewiseSettings.MergeUserAggregators} is false and $name is a user's")
    else None
  }

  /** How partial aggregates of panes are merged to those of windows, and what a person should know of it. */
  def methodOfPartials(function: AggregateFunction): (EvaluationMethod, Option[String]) = function match {
    case _: ApproximatePercentile                                => EvaluationMethod.SlidingMultiset -> None
    case exact: PercentileBase if MethodChoice.isQuantile(exact) => EvaluationMethod.SlidingMultiset -> None
    case _ if holdsRows(function)                                =>
      EvaluationMethod.Recalculation ->
        Some(
          s"a buffer of ${nameOf(function)} holds the values of the window: the panes are merged for each window"
        )
    case _ if MethodChoice.isSmall(function) => EvaluationMethod.TwoStacksLite -> None
    case _                                   => EvaluationMethod.TwoStacksLiteSketches -> None
  }

  /** Whether the settings ask for each frame of the function to be recalculated, also where arrays could evaluate it. */
  def isRecalculated(function: AggregateFunction): Boolean =
    isNamed(function) || !approximate && function.isInstanceOf[ApproximatePercentile]

  /** Whether the settings name the function as one that is not merged. */
  def isNamed(function: AggregateFunction): Boolean =
    neverMerge.contains(nameOf(function).toLowerCase(Locale.ROOT))
}

object MergePolicy {
  private val Recalculated = "each frame is recalculated, as in Spark"
  private val Recalculating = "recalculating the frame, as Spark does"
  private val SparkPackage = "org.apache.spark.sql.catalyst."
  private val Expressions = SparkPackage + "expressions."

  def of(conf: SQLConf): MergePolicy = MergePolicy(
    SlidewiseSettings.mergeApproximate(conf),
    SlidewiseSettings.mergeUserAggregators(conf),
    SlidewiseSettings.neverMerge(conf)
  )

  /** Whether neither Spark nor Slidewise brings the function. */
  def isForeign(function: AggregateFunction): Boolean =
    !isOfSpark(function) && !(function.getClass.getPackage eq ours)

  /** The function as its users call it: an aggregator by its class or the name it was registered with. */
  private def nameOf(function: AggregateFunction): String = function match {
    case aggregator: ScalaAggregator[_, _, _] => aggregator.name
    case udaf: ScalaUDAF                      => udaf.name
    case typed: TypedAggregateExpression      => typed.aggregator.getClass.getSimpleName.stripSuffix("$")
    case other                                => other.prettyName
  }

  private def holdsRows(function: AggregateFunction): Boolean = function match {
    case _: Collect[_] | _: TypedAggregateWithHashMapAsBuffer | _: DistinctAggregate => true
    case other => collections.contains(other.getClass.getName)
  }

  // By their full names, since not every Spark that Slidewise supports has them.
  private def classes(names: String*): Set[String] =
    names.flatMap(name => Seq("", "aggregate.", "variant.").map(Expressions + _ + name)).toSet

  private val collections = classes("PivotFirst")

  private val changesWhenMerged = classes(
    "ThetaIntersectionAgg",
    "TupleIntersectionAggDouble",
    "TupleIntersectionAggInteger",
    "HistogramNumeric", // merging leaves equal values in bins of their own
    "MaxMinByK", // among ties, merging does not know which came first
    "VectorAvg", // merging rounds to floats once more
    "VectorSum",
    "ApproxTopK",
    "ApproxTopKAccumulate",
    "ApproxTopKCombine"
  )

  private val approximateSketches = classes(
    "HllSketchAgg",
    "HllUnionAgg",
    "ThetaSketchAgg",
    "ThetaUnionAgg",
    "TupleSketchAggDouble",
    "TupleSketchAggInteger",
    "TupleUnionAggDouble",
    "TupleUnionAggInteger",
    "KllSketchAggBigint",
    "KllSketchAggDouble",
    "KllSketchAggFloat",
    "KllMergeAggBigint",
    "KllMergeAggDouble",
    "KllMergeAggFloat"
  )

  /** Functions that promise an error bound, and whose merged buffers may yield another result within it. */
  private def isApproximate(function: AggregateFunction): Boolean = function match {
    case _: ApproximatePercentile | _: ApproximateAggregate => true
    case other => approximateSketches.contains(other.getClass.getName)
  }

  private val knownImperative =
    classes("BitmapConstructAgg", "BitmapOrAgg", "BitmapAndAgg", "SchemaOfVariantAgg")

  private val ours = classOf[ApproximateAggregate].getPackage

  private def isKnown(function: AggregateFunction): Boolean = function match {
    case f if f.getClass.getPackage eq ours            => true
    case f: DeclarativeAggregate                       => isOfSpark(f)
    case _: HyperLogLogPlusPlus | _: CountMinSketchAgg => true
    case _: BloomFilterAggregate                       => true
    case other                                         => knownImperative.contains(other.getClass.getName)
  }

  private def isOfSpark(function: AggregateFunction): Boolean =
    function.getClass.getName.startsWith(SparkPackage)
}
