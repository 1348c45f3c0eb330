package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.expressions.RegisterEstimate
import org.slidewise.spark.plan._

/** Spark's sketches. */
private[families] object Sketches extends FunctionFamily {
  import Descriptions.classes

  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f: HyperLogLogPlusPlus                               => Registers(f)
    case f @ (_: BloomFilterAggregate | _: CountMinSketchAgg) => MergedInPlace(f)
    case f if approximate(f.getClass.getName)                 => Approximated(f)
    case f if changed(f.getClass.getName)                     => Changed(f)
  }

  /** `approx_count_distinct`. */
  final private case class Registers(function: HyperLogLogPlusPlus) extends MergedExactly {
    override def sqlOf(renamed: Expression): String = {
      val error = function.relativeSD
      if (error == UsualError) super.sqlOf(renamed) else s"${super.sqlOf(renamed)} WITHIN $error"
    }

    override def recalculatedRows: Long = 8L
    override def registerWords: Option[Int] = Some(function.hllppHelper.numWords)
    override def dependsOnOrder: Boolean = false
    override def orderSensitivity: OrderSensitivity = OrderSensitivity.NONE
    override def ignoresDuplicates: Boolean = true

    override def evaluation(placed: AggregateFunction): Expression =
      RegisterEstimate(placed.asInstanceOf[HyperLogLogPlusPlus])
  }

  /** The default error of `approx_count_distinct`. */
  private val UsualError = 0.05

  final private case class MergedInPlace(function: Expression) extends MergedExactly {
    override def mergeKeepsRight: Boolean = true
    override def dependsOnOrder: Boolean = false
  }

  // Class names, since not every Spark that Slidewise supports has these classes.

  private val hll = classes("HllSketchAgg", "HllUnionAgg")
  private val theta = classes("ThetaSketchAgg", "ThetaUnionAgg")

  private val tuples = classes(
    "TupleSketchAggDouble",
    "TupleSketchAggInteger",
    "TupleUnionAggDouble",
    "TupleUnionAggInteger"
  )

  private val kll = classes("KllSketchAggBigint", "KllSketchAggDouble", "KllSketchAggFloat")
  private val kllMerges = classes("KllMergeAggBigint", "KllMergeAggDouble", "KllMergeAggFloat")

  private val changed = classes(
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

  private val ofTwoKinds = theta ++ tuples ++ kllMerges
  private val approximate = hll ++ kll ++ ofTwoKinds

  final private case class Approximated(function: Expression) extends FunctionDescription {
    override def merging: Merging = Merging.Approximate
    override def hasStatesOfTwoKinds: Boolean = ofTwoKinds(function.getClass.getName)
    override def mergeKeepsRight: Boolean = function.isInstanceOf[HllSketchAgg]
    override def dependsOnOrder: Boolean = !(hll ++ theta)(function.getClass.getName)
  }

  final private case class Changed(function: Expression) extends FunctionDescription {
    override def merging: Merging = Merging.ChangesResult
  }
}
