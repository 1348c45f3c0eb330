package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression

import org.slidewise.spark.plan.FunctionDescription

/** A family of functions that one object describes. */
private[families] trait FunctionFamily {

  /** The description of each function of the family. */
  def describe: PartialFunction[Expression, FunctionDescription]
}

/**
 * The facts that Slidewise knows about window functions and aggregates. No other package asks for the class of a function: a new
 * function is described here, by its family or by a new one.
 */
private[spark] object Families {

  // The first family with a description of the function applies. `Others` describes every function.
  private val all: Seq[FunctionFamily] = Seq(
    DistinctAggregates,
    Counts,
    Sums,
    Extremes,
    Moments,
    Bits,
    Places,
    Ranks,
    Offsets,
    Percentiles,
    Modes,
    Collections,
    Sketches,
    OwnFunctions,
    UserFunctions,
    Others
  )

  private val describe: PartialFunction[Expression, FunctionDescription] =
    all.map(_.describe).reduce(_ orElse _)

  /** The description of a function. */
  def of(function: Expression): FunctionDescription = describe(function)
}
