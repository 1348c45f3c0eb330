package org.slidewise.core

/**
 * An aggregation operator: a monoid over partial aggregates, with a way in and a way out.
 *
 * Laws, for all `a`, `b`, `c` that `lift` and `combine` can produce:
 *   1. associativity: `combine(a, combine(b, c))` equals `combine(combine(a, b), c)`;
 *   1. identity: `combine(identity, a)` equals `a` equals `combine(a, identity)`.
 *
 * `combine` is always called with the older elements on the left and the newer ones on the right. It need be
 * neither commutative nor invertible, and must change neither argument.
 *
 * @tparam In
 *   an element of the window
 * @tparam Agg
 *   a partial aggregate of consecutive elements
 * @tparam Out
 *   the answer for a window
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 2.2
 */
trait Aggregator[-In, Agg, +Out] extends Serializable {

  /** The partial aggregate of no elements. */
  def identity: Agg

  /** The partial aggregate of one element. */
  def lift(in: In): Agg

  /** The partial aggregate of the elements of `older` followed by those of `newer`. */
  def combine(older: Agg, newer: Agg): Agg

  /** The answer for the elements that `agg` stands for. */
  def lower(agg: Agg): Out
}
