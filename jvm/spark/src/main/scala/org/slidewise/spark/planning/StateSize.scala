package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.expressions.ApproximateAggregate

/**
 * What is known of the states of Spark's own aggregate functions.
 *
 * By class name where Spark minors differ in which classes there are.
 */
object StateSize {

  /**
   * Functions that are recalculated: those whose state is (nearly) the rows of the frame, so that a merge costs as much,
   * and those whose merged states answer otherwise than states built row by row, though they promise no error.
   */
  def mustRecalculate(function: AggregateFunction): Boolean = function match {
    case _: Collect[_] | _: TypedAggregateWithHashMapAsBuffer => true
    case other                                                => unmergeable(other.getClass.getSimpleName)
  }

  private val unmergeable = Set(
    "ThetaIntersectionAgg",
    "TupleIntersectionAggDouble",
    "TupleIntersectionAggInteger",
    "HistogramNumeric", // merging leaves equal values in bins of their own
    "MaxMinByK", // among ties, merging does not know who came first
    "VectorAvg", // merging rounds to floats once more
    "VectorSum",
    "ApproxTopK",
    "ApproxTopKAccumulate",
    "ApproxTopKCombine",
    "PivotFirst"
  )

  /** Functions that promise an error and whose merged states may answer otherwise than states built row by row. */
  def isApproximate(function: AggregateFunction): Boolean = {
    val name = function.getClass.getSimpleName
    function match {
      case _: ApproximatePercentile | _: ApproximateAggregate => true
      case _                                                  => approximate.exists(name.startsWith)
    }
  }

  private val approximate = Seq("Hll", "Theta", "Tuple", "Kll")
}
