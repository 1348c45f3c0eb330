package org.slidewise.spark

import java.time.Duration

import scala.annotation.varargs

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{call_function, lit}

/**
 * Slidewise's SQL functions as columns, as `org.apache.spark.sql.functions` has Spark's; `docs/functions.md` says what each
 * does. They are found by name when the query is analysed, and so need a session with Slidewise on.
 *
 * Where there is an `orderBy`, it is what WITHIN GROUP (ORDER BY …) has in SQL: for GROUP BY, and not over a window that has an
 * order.
 */
object functions {

  // An order of an order is the inner one: a column does not tell whether it has one.
  private def ordered(function: String, orderBy: Seq[Column], arguments: Column*): Column =
    call_function(function, arguments ++ orderBy.map(_.asc): _*)

  /** The geometric mean. */
  def geomean(x: Column): Column = call_function("geomean", x)

  /** How often the greatest value occurs. */
  def max_count(x: Column): Column = call_function("max_count", x)

  /** How often the least value occurs. */
  def min_count(x: Column): Column = call_function("min_count", x)

  /** The key of the row in which the value is greatest. */
  @varargs
  def arg_max(key: Column, value: Column, orderBy: Column*): Column =
    ordered("arg_max", orderBy, key, value)

  /**
   * The key of the row in which the value is greatest.
   *
   * @param ties
   *   which row if there are several: `"first"` or `"last"` in the order of the window
   */
  @varargs
  def arg_max(key: Column, value: Column, ties: String, orderBy: Column*): Column =
    ordered("arg_max", orderBy, key, value, lit(ties))

  /** The key of the row in which the value is least. */
  @varargs
  def arg_min(key: Column, value: Column, orderBy: Column*): Column =
    ordered("arg_min", orderBy, key, value)

  /**
   * The key of the row in which the value is least.
   *
   * @param ties
   *   which row if there are several: `"first"` or `"last"` in the order of the window
   */
  @varargs
  def arg_min(key: Column, value: Column, ties: String, orderBy: Column*): Column =
    ordered("arg_min", orderBy, key, value, lit(ties))

  /** The first, last, lowest and highest point. */
  def m4(t: Column, v: Column): Column = call_function("m4", t, v)

  /** The greatest sum of consecutive values. */
  @varargs
  def max_subarray_sum(x: Column, orderBy: Column*): Column =
    ordered("max_subarray_sum", orderBy, x)

  /** The exponentially weighted mean. */
  @varargs
  def ewma(x: Column, alpha: Double, orderBy: Column*): Column =
    ordered("ewma", orderBy, x, lit(alpha))

  /**
   * The exponentially weighted mean.
   *
   * @param adjust
   *   false for the recursion that begins with the first value of the frame
   */
  @varargs
  def ewma(x: Column, alpha: Double, adjust: Boolean, orderBy: Column*): Column =
    ordered("ewma", orderBy, x, lit(alpha), lit(adjust))

  /** The mean over time of a value that holds until the next row. */
  @varargs
  def time_weighted_avg(t: Column, x: Column, orderBy: Column*): Column =
    ordered("time_weighted_avg", orderBy, t, x)

  /**
   * The mean over time.
   *
   * @param method
   *   `"locf"`: a value holds until the next row; `"linear"`: straight lines between rows
   */
  @varargs
  def time_weighted_avg(t: Column, x: Column, method: String, orderBy: Column*): Column =
    ordered("time_weighted_avg", orderBy, t, x, lit(method))

  /** What a counter grew by in a second. */
  @varargs
  def rate(t: Column, x: Column, orderBy: Column*): Column =
    ordered("rate", orderBy, t, x)

  /** What a counter grew by. */
  @varargs
  def increase(t: Column, x: Column, orderBy: Column*): Column =
    ordered("increase", orderBy, t, x)

  /** The longest run of values each of which is greater than the one before it. */
  @varargs
  def longest_increasing_run(x: Column, orderBy: Column*): Column =
    ordered("longest_increasing_run", orderBy, x)

  /**
   * The longest run of increasing values.
   *
   * @param strict
   *   whether equal values end a run
   */
  @varargs
  def longest_increasing_run(x: Column, strict: Boolean, orderBy: Column*): Column =
    ordered("longest_increasing_run", orderBy, x, lit(strict))

  /** The longest run of values each of which is less than the one before it. */
  @varargs
  def longest_decreasing_run(x: Column, orderBy: Column*): Column =
    ordered("longest_decreasing_run", orderBy, x)

  /**
   * The longest run of decreasing values.
   *
   * @param strict
   *   whether equal values end a run
   */
  @varargs
  def longest_decreasing_run(x: Column, strict: Boolean, orderBy: Column*): Column =
    ordered("longest_decreasing_run", orderBy, x, lit(strict))

  /** The `k` greatest values, the greatest first. */
  def top_k(x: Column, k: Int): Column = call_function("top_k", x, lit(k))

  /** The `k` least values, the least first. */
  def bottom_k(x: Column, k: Int): Column = call_function("bottom_k", x, lit(k))

  /** `x` of the `k` rows in which `y` is greatest. */
  @varargs
  def top_k_by(x: Column, y: Column, k: Int, orderBy: Column*): Column =
    ordered("top_k_by", orderBy, x, y, lit(k))

  /** A Bloom filter of the values. */
  def bloom_filter_agg(x: Column): Column = call_function("bloom_filter_agg", x)

  /** A Bloom filter for so many expected values. */
  def bloom_filter_agg(x: Column, expected: Long): Column =
    call_function("bloom_filter_agg", x, lit(expected))

  /** A Bloom filter of so many bits. */
  def bloom_filter_agg(x: Column, expected: Long, bits: Long): Column =
    call_function("bloom_filter_agg", x, lit(expected), lit(bits))

  /** Whether the value is probably in the Bloom filter. */
  def might_contain(filter: Column, x: Column): Column = call_function("might_contain", filter, x)

  /** About how often the value is in a sketch by Spark's `count_min_sketch`. */
  def count_min_sketch_estimate(sketch: Column, x: Column): Column =
    call_function("count_min_sketch_estimate", sketch, x)

  /** The sketch of all the values of sketches by Spark's `count_min_sketch`. */
  def count_min_sketch_merge_agg(sketch: Column): Column = call_function("count_min_sketch_merge_agg", sketch)

  /** A naive Bayes classifier trained with the rows, with a Laplace smoothing of 1. */
  def naive_bayes_agg(label: Column, features: Column): Column =
    call_function("naive_bayes_agg", label, features)

  /** A naive Bayes classifier trained with the rows. */
  def naive_bayes_agg(label: Column, features: Column, smoothing: Double): Column =
    call_function("naive_bayes_agg", label, features, lit(smoothing))

  /** The most probable label. */
  def naive_bayes_predict(model: Column, features: Column): Column =
    call_function("naive_bayes_predict", model, features)

  /** Each label with its probability. */
  def naive_bayes_score(model: Column, features: Column): Column =
    call_function("naive_bayes_score", model, features)

  /** A sketch of how many rows there were in any window of times, for windows up to so wide. */
  def sliding_count_sketch_agg(ts: Column, maxWidth: Duration, epsilon: Double): Column =
    call_function("sliding_count_sketch_agg", ts, lit(maxWidth), lit(epsilon))

  /** A sketch of how many rows there were in any window, where times are whole numbers. */
  def sliding_count_sketch_agg(ts: Column, maxWidth: Long, epsilon: Double): Column =
    call_function("sliding_count_sketch_agg", ts, lit(maxWidth), lit(epsilon))

  /** A sketch of the sum of `x` in any window of times, for windows up to so wide. */
  def sliding_sum_sketch_agg(ts: Column, x: Column, maxWidth: Duration, epsilon: Double): Column =
    call_function("sliding_sum_sketch_agg", ts, x, lit(maxWidth), lit(epsilon))

  /** A sketch of the sum of `x` in any window, where times are whole numbers. */
  def sliding_sum_sketch_agg(ts: Column, x: Column, maxWidth: Long, epsilon: Double): Column =
    call_function("sliding_sum_sketch_agg", ts, x, lit(maxWidth), lit(epsilon))

  /** The sketch of all the rows that the sketches were made of. */
  def sliding_sketch_union_agg(sketch: Column): Column = call_function("sliding_sketch_union_agg", sketch)

  /** About the count, or sum, of the rows with times from `now - width` to `now`. */
  def sliding_sketch_estimate(sketch: Column, now: Column, width: Column): Column =
    call_function("sliding_sketch_estimate", sketch, now, width)

  /** What the count, or sum, of the rows with times from `now - width` to `now` is at least and at most. */
  def sliding_sketch_bounds(sketch: Column, now: Column, width: Column): Column =
    call_function("sliding_sketch_bounds", sketch, now, width)

  /** About the number of rows in which the condition is true. */
  def approx_count_if(condition: Column, epsilon: Double): Column =
    call_function("approx_count_if", condition, lit(epsilon))

  /** About the sum of whole numbers from 0 to `upperBound`. */
  def approx_sum(x: Column, upperBound: Long, epsilon: Double): Column =
    call_function("approx_sum", x, lit(upperBound), lit(epsilon))

  /** About the sum of numbers from 0 to `upperBound`. */
  def approx_sum(x: Column, upperBound: Double, epsilon: Double): Column =
    call_function("approx_sum", x, lit(upperBound), lit(epsilon))
}
