package org.slidewise.core.kernels

import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames

class LongKernelsSuite extends KernelSuite {

  private val kernels = Seq[(String, LongKernel, Vector[Long] => Option[Long])](
    ("sum", LongKernels.sum(), window => Option.when(window.nonEmpty)(window.sum)),
    ("min", LongKernels.min(), _.minOption),
    ("max", LongKernels.max(), _.maxOption)
  )

  private def values(column: Column[Long]): Array[Long] = column.cells.map(_.getOrElse(987654321L)).toArray

  for ((name, kernel, naive) <- kernels) {
    property(s"$name over random frames") {
      forAll(withFrames(Columns.longs)) { case (column, frames) =>
        val out = new Array[Long](frames.count)
        kernel.frames(values(column), column.valid(sayAllValid = true), frames, out)
        check(column, frames, 1, out(_))(naive)(_ == _)
      }
    }

    property(s"$name over rows, with validity or without") {
      forAll(Columns.longs, Columns.offsets) { case (column, (lower, upper)) =>
        for (sayAllValid <- Seq(true, false)) {
          val out = new Array[Long](column.size)
          kernel.rows(values(column), column.valid(sayAllValid), column.size, lower, upper, out)
          check(column, Frames.rows(column.size, lower, upper), 1, out(_))(naive)(_ == _)
        }
      }
    }
  }

  property("where a sum is said not to overflow, no part of any frame does") {
    forAll(withFrames(Columns.longs)) { case (column, frames) =>
      if (LongKernels.cannotOverflow(values(column), column.valid(sayAllValid = true), frames))
        for (k <- 0 until frames.count)
          assert(column.window(frames.lo(k), frames.hi(k)).scanLeft(BigInt(0))(_ + _).forall(_.isValidLong))
    }
  }

  test("overflow is ruled out up to the last value that fits, and null slots do not count") {
    val three = Frames.rows(3, -2, 0)
    def rulesOut(values: Long*): Boolean = LongKernels.cannotOverflow(values.toArray, null, three)
    assert(rulesOut(Long.MaxValue / 3, 0, Long.MinValue / 3))
    assert(!rulesOut(Long.MaxValue / 3 + 1, 0, 0))
    assert(!rulesOut(0, 0, Long.MinValue / 3 - 1))
    assert(LongKernels.cannotOverflow(Array(1L, Long.MaxValue, 1L), Array(5L), three))
    assert(LongKernels.cannotOverflow(Array(Long.MaxValue, Long.MinValue), null, Frames.rows(2, 0, 0)))
  }

  property("the magnitude of a column is that of its farthest value") {
    forAll(Columns.longs) { column =>
      val most = column.cells.flatten.map(BigInt(_).abs).maxOption.getOrElse(BigInt(0))
      val expected = most.min(Long.MaxValue).toLong
      assertEquals(
        LongKernels.magnitude(values(column), column.valid(sayAllValid = true), column.size),
        expected
      )
    }
  }

  test("the magnitude of the least value saturates, and null slots do not count") {
    assertEquals(LongKernels.magnitude(Array(3L, Long.MinValue), null, 2), Long.MaxValue)
    assertEquals(LongKernels.magnitude(Array(3L, Long.MinValue, -4L), Array(5L), 3), 4L)
    assertEquals(LongKernels.magnitude(Array.emptyLongArray, null, 0), 0L)
    intercept[IllegalArgumentException](LongKernels.magnitude(Array(1L), null, 2))
  }

  property("counts, and longs widened for mean and variance") {
    forAll(withFrames(Columns.longs)) { case (column, frames) =>
      val counts = new Array[Long](frames.count)
      new ValidCounts(column.valid(sayAllValid = true), column.size).ofFrames(frames, counts)
      check(column, frames, 0, counts(_))(window => Some(window.size.toLong))(_ == _)

      val doubles = new Array[Double](column.size)
      DoubleKernels.widen(values(column), column.size, doubles)
      val out = new Array[Double](frames.count)
      DoubleKernels.mean().frames(doubles, column.valid(sayAllValid = true), frames, out)
      check(column, frames, 1, out(_))(w => Naive.mean(w.map(_.toDouble))) { (a, b) =>
        math.abs(a - b) <= 1e-13 * Long.MaxValue.toDouble
      }
    }
  }
}
