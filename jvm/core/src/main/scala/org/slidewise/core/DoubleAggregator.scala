package org.slidewise.core

/** Allocation and copying of states of double cells. */
@Evolving
trait DoubleCells[-In, +Out] { this: InPlaceAggregator[Array[Double], In, Out] =>

  override def stateBytes: Long = 8L * width

  override def allocate(cells: Int): Array[Double] = new Array[Double](cells)

  override def copy(to: Array[Double], at: Int, from: Array[Double], fromAt: Int): Unit = {
    var i = 0
    while (i < width) {
      to(at + i) = from(fromAt + i)
      i += 1
    }
  }

  /** Writes a state of two cells. */
  protected final def write(to: Array[Double], at: Int, a: Double, b: Double): Unit = {
    to(at) = a
    to(at + 1) = b
  }

  /** Writes a state of three cells. */
  protected final def write(to: Array[Double], at: Int, a: Double, b: Double, c: Double): Unit = {
    to(at) = a
    to(at + 1) = b
    to(at + 2) = c
  }

  /** Writes a state of four cells. */
  protected final def write(to: Array[Double], at: Int, a: Double, b: Double, c: Double, d: Double): Unit = {
    to(at) = a
    to(at + 1) = b
    to(at + 2) = c
    to(at + 3) = d
  }
}

/** Operator from doubles to a double, without boxing. */
@Evolving
abstract class DoubleAggregator
    extends InPlaceAggregator[Array[Double], Double, Double]
    with DoubleCells[Double, Double] {
  override def lift(in: Double, to: Array[Double], at: Int): Unit
  override def lower(from: Array[Double], at: Int): Double
}

/** [[DoubleAggregator]] with a left inverse. */
@Evolving
abstract class InvertibleDoubleAggregator extends DoubleAggregator with Invertible[Array[Double]]
