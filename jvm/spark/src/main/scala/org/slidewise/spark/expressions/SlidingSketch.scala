package org.slidewise.spark.expressions

import org.slidewise.core.summaries.DyadicDigest
import org.slidewise.spark.errors.InvalidArgument

/** A sketch of timestamps, if there is one yet: the state of the `sliding_sketch` aggregates. */
final class SlidingSketch(var digest: DyadicDigest) {

  /** Takes in what `other` has, and leaves it as it is. */
  def merge(function: String, other: DyadicDigest): Unit = if (other != null) {
    if (digest == null) digest = DyadicDigest.create(other.maxWidth, other.epsilon)
    if (digest.maxWidth != other.maxWidth || digest.epsilon != other.epsilon)
      throw new InvalidArgument(
        function,
        "sketch",
        s"one with max_width ${other.maxWidth} and epsilon ${other.epsilon}",
        s"one with max_width ${digest.maxWidth} and epsilon ${digest.epsilon}, as those before it"
      )
    SlidingSketch.summing(function)(digest.merge(other))
  }

  /** Its bytes, or null for a sketch of nothing. */
  def toBytes(function: String): Array[Byte] =
    if (digest == null) null else SlidingSketch.summing(function)(digest.toBytes)
}

object SlidingSketch {
  private val Allowed =
    "a result of `sliding_count_sketch_agg`, `sliding_sum_sketch_agg` or `sliding_sketch_union_agg`"

  /** The digest that `bytes` hold; whatever is wrong with them is said to be wrong with `sketch`. */
  def read(function: String, bytes: Array[Byte]): DyadicDigest =
    InvalidArgument.read(function, "sketch", Allowed, bytes) { bytes =>
      val digest = DyadicDigest.fromBytes(bytes)
      // Refuses parameters that no sketch can have.
      DyadicDigest.create(digest.maxWidth, digest.epsilon)
      digest
    }

  /** The sum of all values has a limit, which shows wherever they are added. */
  def summing[A](function: String)(add: => A): A =
    try add
    catch {
      case _: ArithmeticException =>
        throw new InvalidArgument(function, "x", "of a sum of 2^62 or more", "of a sum below 2^62")
    }
}
