package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.types.DataType

/** A window expression that array kernels evaluate. */
final case class KernelAggregate(function: ArrayFunction, frame: ArrayFrame, result: DataType)

/**
 * An aggregate function over one primitive column.
 *
 * @param input
 *   the column: of longs, doubles, or of a type that takes four bytes in a row; null where the function skips a row
 * @param atLeast
 *   the number of values that a frame must hold for the result not to be null
 */
final case class ArrayFunction(kernel: ArrayKernel, input: Expression, atLeast: Int)

/** A kernel of `org.slidewise.core.kernels`. */
sealed trait ArrayKernel

object ArrayKernel {
  case object CountValues extends ArrayKernel
  case object SumDoubles extends ArrayKernel
  case object MeanDoubles extends ArrayKernel
  case object MinDoubles extends ArrayKernel
  case object MaxDoubles extends ArrayKernel

  /**
   * @param lost
   *   the degrees of freedom lost: 1 for a sample, 0 for the population
   * @param root
   *   whether the result is the standard deviation
   */
  final case class Variance(lost: Int, root: Boolean) extends ArrayKernel

  /**
   * @param checked
   *   the function that evaluates a frame whose sum could leave 64 bits, with Spark's error or null; none if sums wrap around
   */
  final case class SumLongs(checked: Option[Sum]) extends ArrayKernel
  case object MinLongs extends ArrayKernel
  case object MaxLongs extends ArrayKernel
}

/** A frame that can be found in arrays of sorted order keys. */
sealed trait ArrayFrame

object ArrayFrame {

  /** From `lower` to `upper` rows after the current one, both included; `Int.MaxValue` is unbounded. */
  final case class Rows(lower: Int, upper: Int) extends ArrayFrame

  /** Rows whose key is between two bounds, both included. */
  final case class Range(lower: KeyBound, upper: KeyBound) extends ArrayFrame

  /** A bound of a RANGE frame. */
  sealed trait KeyBound
  case object CurrentKey extends KeyBound
  case object Unbounded extends KeyBound

  /** The key's value plus a whole number. */
  final case class Shifted(by: Long) extends KeyBound

  /** An expression that is evaluated for each row; its bits compare like those of the keys once flipped. */
  final case class Computed(prefix: Expression) extends KeyBound
}
