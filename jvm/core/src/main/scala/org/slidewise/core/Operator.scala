package org.slidewise.core

/**
 * Properties that an operator declares, for algorithms and planners to use.
 *
 * The defaults claim no property. Every algorithm is correct with them.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", Table 1
 */
@Stable
trait Operator extends Serializable {

  /** Whether `combine(a, b)` equals `combine(b, a)` for all `a`, `b`. */
  def commutative: Boolean = false

  /** Whether `combine(a, b)` is always one of `a` and `b` (so that `combine(a, a)` is `a`). */
  def selective: Boolean = false

  /**
   * An upper bound of the bytes of one partial aggregate; [[Operator.Grows]] if the size depends on the number of elements,
   * [[Operator.Unknown]] if it is not declared.
   */
  def stateBytes: Long = Operator.Unknown
}

object Operator {

  /** The size of a state is not declared. */
  final val Unknown = -1L

  /** The size of a state grows with the number of its elements. */
  final val Grows = Long.MaxValue
}
