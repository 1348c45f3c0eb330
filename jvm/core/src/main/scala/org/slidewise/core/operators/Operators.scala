package org.slidewise.core.operators

import org.slidewise.core.Stable
import org.slidewise.core.{
  DoubleAggregator,
  InvertibleDoubleAggregator,
  InvertibleLongAggregator,
  LongAggregator
}

/**
 * The operators over numbers without parameters, by name. From Java: `Operators.mean()`.
 *
 * Operators with parameters, and those over objects, are classes of this package.
 */
@Stable
object Operators {
  val sum: InvertibleDoubleAggregator = DoubleSum
  val sumOfLongs: InvertibleLongAggregator = LongSum
  val count: InvertibleLongAggregator = LongCount
  val mean: InvertibleDoubleAggregator = Mean
  val geometricMean: InvertibleDoubleAggregator = GeometricMean
  val populationVariance: DoubleAggregator = Variance.population
  val sampleVariance: DoubleAggregator = Variance.sample
  val populationStddev: DoubleAggregator = Variance.populationStddev
  val sampleStddev: DoubleAggregator = Variance.sampleStddev
  val max: DoubleAggregator = DoubleMax
  val min: DoubleAggregator = DoubleMin
  val maxOfLongs: LongAggregator = LongMax
  val minOfLongs: LongAggregator = LongMin
  val maxCount: DoubleAggregator = MaxCount.ofDoubles
  val minCount: DoubleAggregator = MinCount.ofDoubles
  val maxCountOfLongs: LongAggregator = MaxCount.ofLongs
  val minCountOfLongs: LongAggregator = MinCount.ofLongs
  val indexOfMax: DoubleAggregator = ArgMax.index
  val indexOfMin: DoubleAggregator = ArgMin.index
  val maxSubarraySum: DoubleAggregator = MaxSubarraySum
}
