package org.slidewise.core.operators

import org.slidewise.core.{DoubleCells, InPlaceAggregator, LongCells}

/** The map x ↦ scale · x + shift. */
final case class Affine(scale: Double, shift: Double) {
  def apply(x: Double): Double = scale * x + shift
}

object Affine {

  /** The composition of affine maps, the oldest applied first. Associative, not commutative. */
  object Composition
      extends InPlaceAggregator[Array[Double], Affine, Affine]
      with DoubleCells[Affine, Affine] {
    override def width: Int = 2
    override def identity(to: Array[Double], at: Int): Unit = write(to, at, 1.0, 0.0)
    override def lift(in: Affine, to: Array[Double], at: Int): Unit = write(to, at, in.scale, in.shift)
    override def lower(from: Array[Double], at: Int): Affine = Affine(from(at), from(at + 1))

    override def combine(
        to: Array[Double],
        at: Int,
        a: Array[Double],
        i: Int,
        b: Array[Double],
        j: Int
    ): Unit = write(to, at, a(i) * b(j), a(i + 1) * b(j) + b(j + 1))
  }
}

/** A 2×2 matrix of longs, row by row. */
final case class Matrix2(a: Long, b: Long, c: Long, d: Long)

object Matrix2 {

  /** The product of 2×2 matrices modulo 2^64^, the oldest leftmost. Associative, not commutative. */
  object Product extends InPlaceAggregator[Array[Long], Matrix2, Matrix2] with LongCells[Matrix2, Matrix2] {
    override def width: Int = 4
    override def identity(to: Array[Long], at: Int): Unit = write(to, at, 1L, 0L, 0L, 1L)
    override def lift(in: Matrix2, to: Array[Long], at: Int): Unit = write(to, at, in.a, in.b, in.c, in.d)
    override def lower(m: Array[Long], at: Int): Matrix2 = Matrix2(m(at), m(at + 1), m(at + 2), m(at + 3))

    override def combine(to: Array[Long], at: Int, m: Array[Long], i: Int, n: Array[Long], j: Int): Unit =
      write(
        to,
        at,
        m(i) * n(j) + m(i + 1) * n(j + 2),
        m(i) * n(j + 1) + m(i + 1) * n(j + 3),
        m(i + 2) * n(j) + m(i + 3) * n(j + 2),
        m(i + 2) * n(j + 1) + m(i + 3) * n(j + 3)
      )
  }
}
