package org.slidewise.core.kernels

import munit.ScalaCheckSuite
import org.scalacheck.Gen

import org.slidewise.LongRun
import org.slidewise.core.batch.{FrameGenerators, Frames}

/** Base of the kernels' suites: test cases, and the comparison of results with a naive evaluation. */
abstract class KernelSuite extends ScalaCheckSuite {

  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(LongRun.orLess(400, 100))

  protected def withFrames[A](columns: Gen[Column[A]]): Gen[(Column[A], Frames)] =
    columns.flatMap(column => FrameGenerators.frames(column.size).map(column -> _))

  protected def bits(value: Double): Long = java.lang.Double.doubleToLongBits(value)

  /** Checks the validity for `atLeast` values, and each result that is valid with `same`. */
  protected def check[A, B](column: Column[A], frames: Frames, atLeast: Int, results: Int => B)(
      naive: Vector[A] => Option[B]
  )(same: (B, B) => Boolean): Unit = {
    val validOut = Array.fill(Validity.words(frames.count) + 1)(0x55L)
    val all = Validity.ofFrames(column.valid(sayAllValid = true), frames, atLeast, validOut)
    val expected = (0 until frames.count).map(k => naive(column.window(frames.lo(k), frames.hi(k))))
    assertEquals(all, expected.forall(_.isDefined))
    for (k <- expected.indices) {
      assertEquals(Validity.at(validOut, k), expected(k).isDefined, s"validity of window $k")
      for (value <- expected(k))
        assert(same(results(k), value), s"window $k of ${frames.count}: ${results(k)}, not $value")
    }
  }
}
