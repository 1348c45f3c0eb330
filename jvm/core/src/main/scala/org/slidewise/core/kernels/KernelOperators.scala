package org.slidewise.core.kernels

// The operators that kernels are written over. A kernel names its operator, and the build derives the kernels of the other
// operators by that name (see DerivedSources in project/), so that each loop has a `combine` of its own to inline.

private[kernels] object DoubleSumOp {
  final val identity = 0.0

  // Starting from 0.0 makes the sum of -0.0 alone 0.0, which is what Spark answers.
  def combine(older: Double, newer: Double): Double = older + newer
}

/** For columns without NaN and without -0.0 (see `PlainDoubles`), where it is one machine instruction or two. */
private[kernels] object DoubleMaxOp {
  final val identity = Double.NegativeInfinity
  def combine(older: Double, newer: Double): Double = Math.max(older, newer)
}

/** For columns without NaN and without -0.0 (see `PlainDoubles`). */
private[kernels] object DoubleMinOp {
  final val identity = Double.PositiveInfinity
  def combine(older: Double, newer: Double): Double = Math.min(older, newer)
}

/** In Spark's order: NaN above all else, -0.0 equal to 0.0, and the older one of equals. */
private[kernels] object DoubleTotalMaxOp {
  final val identity = Double.NegativeInfinity
  def combine(older: Double, newer: Double): Double = if (newer > older || newer != newer) newer else older
  def atLeastAsGood(newer: Double, older: Double): Boolean = newer >= older || newer != newer
}

/** In Spark's order: NaN above all else, -0.0 equal to 0.0, and the older one of equals. */
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
