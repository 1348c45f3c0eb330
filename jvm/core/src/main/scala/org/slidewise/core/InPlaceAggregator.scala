package org.slidewise.core

/**
 * Aggregation operator over partial aggregates in array cells. Allocates and boxes nothing for each element.
 *
 * A partial aggregate, a *state*, takes [[width]] consecutive cells of an array. Methods take the array and the index of the
 * first cell. The laws are those of [[Aggregator]].
 *
 * @tparam S
 *   the array: `Array[Double]`, `Array[Long]` or `Array[AnyRef]`
 * @tparam In
 *   an element of the window
 * @tparam Out
 *   the result for a window
 */
@Evolving
abstract class InPlaceAggregator[S, -In, +Out] extends Operator {

  /** The number of cells of one state; at least 1. */
  def width: Int

  /** A new array of `cells` cells. */
  def allocate(cells: Int): S

  /** Writes the state of no elements. */
  def identity(to: S, at: Int): Unit

  /** Writes the state of the one element `in`. */
  def lift(in: In, to: S, at: Int): Unit

  /**
   * Writes the state of the elements of `older` followed by the elements of `newer`.
   *
   * The target may be one of the two arguments: an implementation reads a cell before it writes it.
   */
  def combine(to: S, at: Int, older: S, olderAt: Int, newer: S, newerAt: Int): Unit

  /**
   * Replaces each of `count` states, `stride` cells apart from `at` on, by the aggregate from it to the last of them, with
   * `count - 1` combines. An operator with one or two cells can override it and keep the running aggregate in registers.
   */
  def suffixes(cells: S, at: Int, stride: Int, count: Int): Unit = {
    var newer = at + (count - 1) * stride
    while (newer > at) {
      val older = newer - stride
      combine(cells, older, cells, older, cells, newer)
      newer = older
    }
  }

  /** Writes a copy of a state. */
  def copy(to: S, at: Int, from: S, fromAt: Int): Unit

  /** The result for the elements of a state. */
  def lower(from: S, at: Int): Out

  /** Clears the references of a state, for the garbage collector. Does nothing for primitive cells. */
  def clear(cells: S, at: Int): Unit = ()
}

/**
 * Left inverse of an [[InPlaceAggregator]].
 *
 * Law: subtracting `a` from `combine(a, b)` gives `b`.
 */
@Evolving
trait Invertible[S] {

  /** Writes the state of `whole` without its first elements, which `oldest` aggregates. The target may be `whole`. */
  def subtract(to: S, at: Int, whole: S, wholeAt: Int, oldest: S, oldestAt: Int): Unit
}
