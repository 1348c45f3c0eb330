package org.slidewise.core.kernels

// The operators of the kernels. Each loop names its operator, so that the JIT compiler inlines `combine`. The build derives the
// loops of the other operators from it (see DerivedSources in project/).

private[kernels] object DoubleSumOp {
  final val identity = 0.0

  // Starting from 0.0, the sum of -0.0 alone is 0.0, as in Spark.
  def combine(older: Double, newer: Double): Double = older + newer
}

/** The maximum of doubles without NaN and -0.0 (see `PlainDoubles`): one or two machine instructions. */
private[kernels] object DoubleMaxOp {
  final val identity = Double.NegativeInfinity
  def combine(older: Double, newer: Double): Double = Math.max(older, newer)
}

/** The minimum of doubles without NaN and -0.0 (see `PlainDoubles`). */
private[kernels] object DoubleMinOp {
  final val identity = Double.PositiveInfinity
  def combine(older: Double, newer: Double): Double = Math.min(older, newer)
}

/** The maximum in Spark's order: NaN is greatest, -0.0 equals 0.0, and the older of equal values wins. */
private[kernels] object DoubleTotalMaxOp {
  final val identity = Double.NegativeInfinity
  def combine(older: Double, newer: Double): Double = if (newer > older || newer != newer) newer else older
  def atLeastAsGood(newer: Double, older: Double): Boolean = newer >= older || newer != newer
}

/** The minimum in Spark's order: NaN is greatest, -0.0 equals 0.0, and the older of equal values wins. */
private[kernels] object DoubleTotalMinOp {
  final val identity = Double.NaN
  def combine(older: Double, newer: Double): Double = if (newer < older || older != older) newer else older
  def atLeastAsGood(newer: Double, older: Double): Boolean = newer <= older || older != older
}

private[kernels] object LongMaxOp {
  final val identity = Long.MinValue
  def combine(older: Long, newer: Long): Long = if (newer > older) newer else older
  def atLeastAsGood(newer: Long, older: Long): Boolean = newer >= older
}

private[kernels] object LongMinOp {
  final val identity = Long.MaxValue
  def combine(older: Long, newer: Long): Long = if (newer < older) newer else older
  def atLeastAsGood(newer: Long, older: Long): Boolean = newer <= older
}
