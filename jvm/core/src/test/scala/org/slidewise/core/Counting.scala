package org.slidewise.core

import scala.collection.mutable

/** Counts the combines of an operator and records the cells that it writes. */
final class Counting[S, In, Out](of: InPlaceAggregator[S, In, Out]) extends Delegating[S, In, Out](of) {
  private var counted = 0L
  val written = mutable.Set.empty[Int]

  /** The combines that `body` does. */
  def combinesOf(body: => Unit): Long = {
    val before = counted
    body
    counted - before
  }

  override def identity(to: S, at: Int): Unit = { written += at; super.identity(to, at) }
  override def lift(in: In, to: S, at: Int): Unit = { written += at; super.lift(in, to, at) }
  override def copy(to: S, at: Int, a: S, i: Int): Unit = { written += at; super.copy(to, at, a, i) }
  override def combine(to: S, at: Int, a: S, i: Int, b: S, j: Int): Unit = {
    counted += 1
    written += at
    super.combine(to, at, a, i, b, j)
  }
}
