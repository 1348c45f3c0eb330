package org.slidewise.core

/**
 * Aggregation operator: a monoid over partial aggregates, with `lift` into it and `lower` out of it.
 *
 * Laws, for all `a`, `b`, `c` that `lift` and `combine` can return:
 *   1. associativity: `combine(a, combine(b, c))` equals `combine(combine(a, b), c)`;
 *   1. identity: `combine(identity, a)` equals `a` equals `combine(a, identity)`.
 *
 * Algorithms call `combine` with the older elements on the left and the newer ones on the right. It need not be commutative or
 * invertible. It must not change its arguments.
 *
 * An operator over numbers allocates nothing for each element if it is an [[InPlaceAggregator]] instead.
 *
 * @tparam In
 *   an element of the window
 * @tparam Agg
 *   a partial aggregate of consecutive elements
 * @tparam Out
 *   the result for a window
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 2.2
 */
@Stable
trait Aggregator[-In, Agg, +Out] extends Operator {

  /** The partial aggregate of no elements. */
  def identity: Agg

  /** The partial aggregate of one element. */
  def lift(in: In): Agg

  /** The partial aggregate of the elements of `older` followed by the elements of `newer`. */
  def combine(older: Agg, newer: Agg): Agg

  /** The result for the elements that `agg` aggregates. */
  def lower(agg: Agg): Out
}

/**
 * [[Aggregator]] with a left inverse: `subtract` removes the oldest elements from a partial aggregate.
 *
 * Law: `subtract(combine(a, b), a)` equals `b`.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 2.1
 */
@Stable
trait InvertibleAggregator[-In, Agg, +Out] extends Aggregator[In, Agg, Out] {

  /** The partial aggregate of `whole` without its first elements, which `oldest` aggregates. */
  def subtract(whole: Agg, oldest: Agg): Agg
}
