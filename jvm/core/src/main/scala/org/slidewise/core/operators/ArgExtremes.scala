package org.slidewise.core.operators

import java.util.Comparator
import org.slidewise.core.{Aggregator, DoubleAggregator}

/**
 * Index in the window of the greatest (or smallest) double: 0 for the oldest element, -1 if there are no elements. The oldest of
 * equal elements.
 */
final class DoubleArgExtreme private[operators] (largest: Boolean) extends DoubleAggregator {

  /** Number of elements, extreme, index of the extreme. */
  override def width: Int = 3

  override def identity(to: Array[Double], at: Int): Unit =
    write(to, at, 0.0, Extremes.weakestDouble(largest), -1.0)

  override def lift(in: Double, to: Array[Double], at: Int): Unit = write(to, at, 1.0, in, 0.0)

  override def combine(
      to: Array[Double],
      at: Int,
      a: Array[Double],
      i: Int,
      b: Array[Double],
      j: Int
  ): Unit = {
    val olders = a(i)
    val all = olders + b(j)
    if (b(j) == 0.0 || (olders != 0.0 && !Extremes.wins(b(j + 1), a(i + 1), largest)))
      write(to, at, all, a(i + 1), a(i + 2))
    else write(to, at, all, b(j + 1), olders + b(j + 2))
  }

  override def lower(from: Array[Double], at: Int): Double = from(at + 2)
}

/** The greatest element in the order of a comparator, the oldest of equal ones; null if there are no elements. */
final class ArgExtreme[A <: AnyRef] private[operators] (order: Comparator[_ >: A])
    extends Aggregator[A, A, A] {
  override def selective: Boolean = true
  override def identity: A = null.asInstanceOf[A]
  override def lift(in: A): A = in
  override def lower(agg: A): A = agg
  override def combine(older: A, newer: A): A =
    if (older == null || (newer != null && order.compare(newer, older) > 0)) newer else older
}

/** argMax: the greatest element, or its index in the window. */
object ArgMax {

  /** The index in the window, 0 for the oldest element. */
  val index: DoubleArgExtreme = new DoubleArgExtreme(true)

  /** The greatest element by `order`. Elements must not be null. */
  def by[A <: AnyRef](order: Comparator[_ >: A]): Aggregator[A, A, A] = new ArgExtreme(order)
}

/** argMin: the smallest element, or its index in the window. */
object ArgMin {

  /** The index in the window, 0 for the oldest element. */
  val index: DoubleArgExtreme = new DoubleArgExtreme(false)

  /** The smallest element by `order`. Elements must not be null. */
  def by[A <: AnyRef](order: Comparator[_ >: A]): Aggregator[A, A, A] = new ArgExtreme[A](order.reversed())
}
