package org.slidewise.core.kernels

import org.scalacheck.Prop.forAll

import org.slidewise.core.batch.Frames

class DoubleKernelsSuite extends KernelSuite {

  private val identical: (Double, Double) => Boolean = (a, b) => bits(a) == bits(b)

  private val close: (Double, Double) => Boolean = (a, b) =>
    identical(a, b) || math.abs(a - b) <= 1e-9 * math.max(1.0, math.abs(b))

  private case class Kernel(
      name: String,
      kernel: DoubleKernel,
      naive: Seq[Double] => Option[Double],
      same: (Double, Double) => Boolean,
      atLeast: Int = 1
  )

  // One kernel for all tests, so that they also test the arrays that it keeps between calls.
  private val kernels = Seq(
    Kernel("sum", DoubleKernels.sum(), Naive.sum, identical),
    Kernel("mean", DoubleKernels.mean(), Naive.mean, identical),
    Kernel("min", DoubleKernels.min(), Naive.min, identical),
    Kernel("max", DoubleKernels.max(), Naive.max, identical),
    Kernel("variance of a population", DoubleKernels.variance(0), Naive.variance(0), close),
    Kernel("variance of a sample", DoubleKernels.variance(1), Naive.variance(1), close, atLeast = 2)
  )

  private def values(column: Column[Double]): Array[Double] = column.cells.map(_.getOrElse(1e300)).toArray

  for (k <- kernels) {
    property(s"${k.name} over random frames") {
      forAll(withFrames(Columns.doubles)) { case (column, frames) =>
        val out = new Array[Double](frames.count)
        k.kernel.frames(values(column), column.valid(sayAllValid = true), frames, out)
        check(column, frames, k.atLeast, out(_))(k.naive)(k.same)
      }
    }

    property(s"${k.name} over rows, with validity or without") {
      forAll(Columns.doubles, Columns.offsets) { case (column, (lower, upper)) =>
        for (sayAllValid <- Seq(true, false)) {
          val out = new Array[Double](column.size)
          k.kernel.rows(values(column), column.valid(sayAllValid), column.size, lower, upper, out)
          check(column, Frames.rows(column.size, lower, upper), k.atLeast, out(_))(k.naive)(k.same)
        }
      }
    }
  }

  property("a sum is as near to the exact one as any order of adding may be") {
    forAll(withFrames(Columns.anyDoubles), Columns.offsets) { case ((column, frames), (lower, upper)) =>
      def near(frames: Frames, out: Array[Double]): Unit =
        for (
          k <- 0 until frames.count; window = column.window(frames.lo(k), frames.hi(k)); if window.nonEmpty
        ) {
          val exact = window.map(BigDecimal(_)).sum
          val bound = window.map(v => BigDecimal(math.abs(v))).sum * window.size * math.ulp(1.0)
          assert((BigDecimal(out(k)) - exact).abs <= bound, s"window $k: ${out(k)}, exactly $exact")
        }
      val cells = column.cells.map(_.getOrElse(Double.NaN)).toArray
      val out = new Array[Double](math.max(frames.count, column.size))
      DoubleKernels.sum().frames(cells, column.valid(sayAllValid = false), frames, out)
      near(frames, out)
      DoubleKernels.sum().rows(cells, column.valid(sayAllValid = false), column.size, lower, upper, out)
      near(Frames.rows(column.size, lower, upper), out)
    }
  }

  test("what has left a window leaves no trace") {
    val column = Array(1.0, Double.PositiveInfinity, 2.0, Double.NaN, 1e300, 0.25, 0.5, 3.0)
    val out = new Array[Double](column.length)
    DoubleKernels.sum().rows(column.clone, null, column.length, -1, 0, out)
    assertEquals(out.takeRight(2).toSeq, Seq(0.75, 3.5))
    DoubleKernels.variance(0).rows(column.clone, null, column.length, -1, 0, out)
    assertEquals(out.takeRight(2).toSeq, Seq(0.015625, 1.5625))
  }

  test("variance keeps its digits far from zero, where sums of squares lose all of them") {
    val column = Array.tabulate(1000)(i => 1e9 + i % 2)
    val out = new Array[Double](column.length)
    DoubleKernels.variance(0).rows(column, null, column.length, -9, 0, out)
    assert(out.drop(9).forall(v => math.abs(v - 0.25) < 1e-6))
  }

  test(
    "a sample of one number has NaN for its variance, in Java's form, and not the other sign that 0 / 0 has"
  ) {
    val out = new Array[Double](3)
    DoubleKernels.variance(1).rows(Array(5.0, 7.0, 7.0), null, 3, -1, 0, out)
    assertEquals(
      out.toSeq.map(java.lang.Double.doubleToRawLongBits),
      Seq(Double.NaN, 2.0, 0.0).map(java.lang.Double.doubleToRawLongBits)
    )
  }

  test("the variance of numbers whose squares are infinite is infinite, wherever they stand in the window") {
    for (at <- 0 until 20; width <- 2 to 6) {
      val column = Array.tabulate(20)(i => if (i == at) 1e300 else i.toDouble)
      val out = new Array[Double](column.length)
      DoubleKernels.variance(0).rows(column, null, column.length, 1 - width, 0, out)
      for (i <- math.max(at, 1) until math.min(at + width, 20))
        assertEquals(out(i), Double.PositiveInfinity, s"row $i, value at $at, $width rows")
    }
  }

  test("long windows and columns, against a second way: widths on both sides of where the loops change") {
    val column = Array.tabulate(5000)(i => ((i * 7919L) % 4001).toDouble)
    val out = new Array[Double](column.length)
    val naive = new Array[Double](column.length)
    for (width <- Seq(1, 2, 36, 37, 64, 1000, 2047, 2048, 2049, 2499, 2500, 2501, 4999, 5000, 5001)) {
      val sums = column.scanLeft(0.0)(_ + _)
      for (i <- column.indices) naive(i) = sums(i + 1) - sums(math.max(0, i + 1 - width))
      DoubleKernels.sum().rows(column, null, column.length, 1 - width, 0, out)
      assertEquals(out.toSeq, naive.toSeq, s"sum, width $width")
      for (i <- column.indices) naive(i) = column.slice(math.max(0, i + 1 - width), i + 1).max
      DoubleKernels.max().rows(column, null, column.length, 1 - width, 0, out)
      assertEquals(out.toSeq, naive.toSeq, s"max, width $width")
    }
  }

  test("misuse is refused with the argument's name") {
    val three = new Array[Double](3)
    def refused(body: => Unit): String = intercept[IllegalArgumentException](body).getMessage
    val sum = DoubleKernels.sum()
    assert(refused(sum.rows(three, null, 4, 0, 0, new Array(4))).contains("size"))
    assert(refused(sum.rows(three, new Array(0), 3, 0, 0, new Array(3))).contains("valid"))
    assert(refused(sum.rows(three, null, 3, 0, 0, new Array(2))).contains("out"))
    assert(refused(sum.rows(three, null, 3, 0, 0, three)).contains("out"))
    assert(refused(sum.frames(three, null, Frames.rows(4, 0, 0), new Array(4))).contains("size"))
    assert(refused(DoubleKernels.variance(-1)).contains("ddof"))
  }
}
