package org.slidewise.core.operators

import java.util.Comparator
import org.slidewise.core.{Aggregator, Operator}

/** All elements, oldest first. Associative but not commutative, so that tests use it to check the order of combines. */
final class Concatenation[A] extends Aggregator[A, Vector[A], Vector[A]] {
  override def stateBytes: Long = Operator.Grows
  override def identity: Vector[A] = Vector.empty
  override def lift(in: A): Vector[A] = Vector(in)
  override def combine(older: Vector[A], newer: Vector[A]): Vector[A] = older ++ newer
  override def lower(agg: Vector[A]): Vector[A] = agg
}

/**
 * The `limit` oldest elements, oldest first.
 *
 * @throws java.lang.IllegalArgumentException
 *   if `limit` is not positive
 */
final class BoundedCollect[A](limit: Int) extends Aggregator[A, Vector[A], Vector[A]] {
  if (limit < 1) throw new IllegalArgumentException(s"limit is $limit: it must be 1 or more")

  override def stateBytes: Long = 64L + 8L * limit
  override def identity: Vector[A] = Vector.empty
  override def lift(in: A): Vector[A] = Vector(in)

  override def combine(older: Vector[A], newer: Vector[A]): Vector[A] =
    if (older.size >= limit || newer.isEmpty) older else older ++ newer.take(limit - older.size)

  override def lower(agg: Vector[A]): Vector[A] = agg
}

/**
 * The `k` greatest elements by `order`, greatest first, and the older of equal elements first.
 *
 * A combine makes at most k comparisons.
 *
 * @throws java.lang.IllegalArgumentException
 *   if `k` is not positive
 */
final class TopK[A](k: Int, order: Comparator[_ >: A]) extends Aggregator[A, Vector[A], Vector[A]] {
  if (k < 1) throw new IllegalArgumentException(s"k is $k: it must be 1 or more")

  override def stateBytes: Long = 64L + 8L * k
  override def identity: Vector[A] = Vector.empty
  override def lift(in: A): Vector[A] = Vector(in)
  override def lower(agg: Vector[A]): Vector[A] = agg

  override def combine(older: Vector[A], newer: Vector[A]): Vector[A] =
    if (newer.isEmpty) older
    else if (older.isEmpty) newer
    else {
      val merged = Vector.newBuilder[A]
      var i = 0
      var j = 0
      while (i + j < k && (i < older.size || j < newer.size))
        if (j == newer.size || (i < older.size && order.compare(older(i), newer(j)) >= 0)) {
          merged += older(i)
          i += 1
        } else {
          merged += newer(j)
          j += 1
        }
      merged.result()
    }
}
