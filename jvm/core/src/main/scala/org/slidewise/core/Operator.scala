package org.slidewise.core

/**
 * What an operator declares about itself, so that algorithms and planners need not guess.
 *
 * The defaults claim nothing: an operator that says no more is still right with every algorithm.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", Table 1
 */
trait Operator extends Serializable {

  /** Whether `combine(a, b)` equals `combine(b, a)` for all `a`, `b`. */
  def commutative: Boolean = false

  /** Whether `combine(a, b)` is always one of `a` and `b` (so that `combine(a, a)` is `a`). */
  def selective: Boolean = false

  /**
   * The most bytes that one partial aggregate takes, [[Operator.Grows]] if that depends on how many elements it stands
   * for, or [[Operator.Unknown]].
   */
  def stateBytes: Long = Operator.Unknown
}

object Operator {

  /** A state whose size nobody has declared. */
  final val Unknown = -1L

  /** A state that grows with the number of elements it stands for. */
  final val Grows = Long.MaxValue
}
