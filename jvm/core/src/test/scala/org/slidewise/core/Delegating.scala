package org.slidewise.core

/** Operator that delegates to `of`. */
abstract class Delegating[S, In, Out](of: InPlaceAggregator[S, In, Out])
    extends InPlaceAggregator[S, In, Out] {
  override def commutative: Boolean = of.commutative
  override def width: Int = of.width
  override def allocate(cells: Int): S = of.allocate(cells)
  override def lower(from: S, at: Int): Out = of.lower(from, at)
  override def clear(cells: S, at: Int): Unit = of.clear(cells, at)
  override def identity(to: S, at: Int): Unit = of.identity(to, at)
  override def lift(in: In, to: S, at: Int): Unit = of.lift(in, to, at)
  override def copy(to: S, at: Int, a: S, i: Int): Unit = of.copy(to, at, a, i)
  override def combine(to: S, at: Int, a: S, i: Int, b: S, j: Int): Unit = of.combine(to, at, a, i, b, j)
}
