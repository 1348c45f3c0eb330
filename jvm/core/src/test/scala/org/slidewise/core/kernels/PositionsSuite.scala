package org.slidewise.core.kernels

import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames

class PositionsSuite extends KernelSuite {

  private def checkPositions[A](column: Column[A], frames: Frames, out: Array[Int])(
      better: (A, A) => Boolean
  ): Unit =
    for (k <- 0 until frames.count) {
      val (lo, hi) = (frames.lo(k), frames.hi(k))
      assertEquals(out(k), Naive.position(column.cells.slice(lo, hi), lo)(better), s"window $k is [$lo, $hi)")
    }

  private val argMax = new DoubleArgMax
  private val argMin = new DoubleArgMin
  private val longArgMax = new LongArgMax
  private val longArgMin = new LongArgMin

  property("argMax and argMin of doubles over random frames: the newest of equals, NaN above all") {
    forAll(withFrames(Columns.doubles)) { case (column, frames) =>
      val values = column.cells.map(_.getOrElse(Double.NaN)).toArray
      val out = new Array[Int](frames.count)
      argMax.frames(values, column.valid(sayAllValid = true), frames, out)
      checkPositions(column, frames, out)(Naive.greater)
      argMin.frames(values, column.valid(sayAllValid = true), frames, out)
      checkPositions(column, frames, out)((a, b) => Naive.greater(b, a))
    }
  }

  property("argMax and argMin of longs over rows") {
    forAll(Columns.longs, Columns.offsets) { case (column, (lower, upper)) =>
      val frames = Frames.rows(column.size, lower, upper)
      val values = column.cells.map(_.getOrElse(Long.MaxValue)).toArray
      val out = new Array[Int](frames.count)
      longArgMax.frames(values, column.valid(sayAllValid = false), frames, out)
      checkPositions(column, frames, out)(_ > _)
      longArgMin.frames(values, column.valid(sayAllValid = false), frames, out)
      checkPositions(column, frames, out)(_ < _)
    }
  }

  test("an array of results that is too short is refused") {
    intercept[IllegalArgumentException](argMax.frames(new Array(3), null, Frames.rows(3, 0, 0), new Array(2)))
  }
}
