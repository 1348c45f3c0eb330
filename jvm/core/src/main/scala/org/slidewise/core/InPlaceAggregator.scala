package org.slidewise.core

/**
 * An aggregation operator whose partial aggregates live in cells of arrays, so that nothing is allocated or boxed for
 * each element.
 *
 * A partial aggregate, a *state*, is [[width]] consecutive cells of an array, named by the array and the index of the
 * first cell. The laws are those of [[Aggregator]].
 *
 * @tparam S
 *   the array: `Array[Double]`, `Array[Long]` or `Array[AnyRef]`
 * @tparam In
 *   an element of the window
 * @tparam Out
 *   the answer for a window
 */
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
   * Writes the state of the elements of `older` followed by those of `newer`.
   *
   * The state written may be either of those read: every cell is read before it is written.
   */
  def combine(to: S, at: Int, older: S, olderAt: Int, newer: S, newerAt: Int): Unit

  /**
   * Makes of each of `count` states, `stride` cells apart from `at` on, the aggregate from there to the last of them, with
   * `count - 1` combines. An operator of a cell or two can spare itself to read again what it has just written.
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

  /** The answer for the elements that a state stands for. */
  def lower(from: S, at: Int): Out

  /** Forgets what a state refers to. Nothing to do unless cells hold references. */
  def clear(cells: S, at: Int): Unit = ()
}

/**
 * What an [[InPlaceAggregator]] adds to be taken back: a left inverse.
 *
 * Law: what `subtract` leaves of `combine(a, b)` without `a` equals `b`.
 */
trait Invertible[S] {

  /** Writes what stays of `whole` without `oldest`, which `whole` begins with. The state written may be `whole`. */
  def subtract(to: S, at: Int, whole: S, wholeAt: Int, oldest: S, oldestAt: Int): Unit
}
