package org.slidewise.core.summaries

import org.slidewise.LongRun

/** Tests the summaries with a relative error, and the exact ones. */
class RelativeSuite extends BoundSuite {
  private val windows = Seq(1, 2, 9, 100, 1024, 3001)
  private val epsilons = Seq(0.9, 0.1, 0.03, 0.5, 0.001).take(LongRun.orLess(5, 3))

  private val upperBounds = Seq(1L, 77L, 2L, 1L << 30).take(LongRun.orLess(4, 2))

  private def histogram(window: Int, upperBound: Long, epsilon: Double) = new Subject[ExponentialHistogram] {
    def make() = ExponentialHistogram.create(window, upperBound, epsilon)
    def insert(summary: ExponentialHistogram, value: Long) = summary.insert(value)
    def fromBytes(bytes: Array[Byte]) = ExponentialHistogram.fromBytes(bytes)
    def bound(summary: ExponentialHistogram, exact: Double) = epsilon * exact

    def checkInvariants(summary: ExponentialHistogram, window: Streams.Window) = {
      val (sizes, q, now) = summary.state
      assert(
        sizes.forall(_.size <= q + 1) && sizes.init.forall(_.size >= q),
        s"(H1): ${sizes.map(_.size)} with $q"
      )
      val newestFirst = sizes.flatMap(_.reverse)
      val falls = newestFirst.zip(newestFirst.drop(1)).forall { case (newer, older) =>
        newer > older || (newer == older && upperBound > 1)
      }
      assert(falls, "(H2)")
      assert(newestFirst.forall(_ > now - summary.window), "(H2)")
    }
  }

  private def wave(window: Int, upperBound: Long, epsilon: Double) = new Subject[DeterministicWave] {
    def make() = DeterministicWave.create(window, upperBound, epsilon)
    def insert(summary: DeterministicWave, value: Long) = summary.insert(value)
    def fromBytes(bytes: Array[Byte]) = DeterministicWave.fromBytes(bytes)
    def bound(summary: DeterministicWave, exact: Double) = epsilon * exact

    def checkInvariants(summary: DeterministicWave, window: Streams.Window) = {
      val kept = summary.state
      assert(kept.zip(kept.drop(1)).forall { case (older, newer) => older._1 > newer._1 }, "(V1)")
      assert(kept.forall { case (age, value) => window.newestFirst(age.toInt) == value }, s"(V1): $kept")
      val newest = (0 until summary.window.toInt).find(i => i < window.size && window.newestFirst(i) > 0)
      assertEquals(kept.lastOption.map(_._1.toInt), newest, "(V2)")
    }
  }

  test("an exponential histogram is within ε of the count and of the sum") {
    for (window <- windows; epsilon <- epsilons; upperBound <- upperBounds) {
      val worst = Streams
        .all(window.toLong, upperBound, (epsilon * window).toLong, window)
        .map(follow(histogram(window, upperBound, epsilon), window, _, math.min(10000, 20 * window)))
        .max
      if (window > 1000 && epsilon < 0.5 && epsilon > 0.01)
        assert(worst > 0.6, s"W = $window, ε = $epsilon: $worst")
    }
  }

  test("a wave is within ε of the count and of the sum") {
    for (window <- windows; epsilon <- epsilons; upperBound <- upperBounds) {
      val worst = Streams
        .all(window.toLong, upperBound, (epsilon * window).toLong, window)
        .map(follow(wave(window, upperBound, epsilon), window, _, math.min(10000, 20 * window)))
        .max
      if (window > 1000 && epsilon < 0.5 && epsilon > 0.01)
        assert(worst > 0.4, s"W = $window, ε = $epsilon: $worst")
    }
  }

  test("exact rings are exact") {
    for (window <- windows) {
      val count = new Subject[ExactCount] {
        def make() = ExactCount.create(window)
        def insert(summary: ExactCount, value: Long) = summary.insert(value == 1)
        def fromBytes(bytes: Array[Byte]) = ExactCount.fromBytes(bytes)
        def bound(summary: ExactCount, exact: Double) = 0
        def checkInvariants(summary: ExactCount, window: Streams.Window) = ()
      }
      Streams.all(window.toLong, 1, 10, 3).foreach(follow(count, window, _, math.min(5000, 20 * window)))
      for (upperBound <- Seq(1L, 5L, (1L << 53) - 1)) {
        val sum = new Subject[ExactSum] {
          def make() = ExactSum.create(window, upperBound)
          def insert(summary: ExactSum, value: Long) = summary.insert(value)
          def fromBytes(bytes: Array[Byte]) = ExactSum.fromBytes(bytes)
          def bound(summary: ExactSum, exact: Double) = 0
          def checkInvariants(summary: ExactSum, window: Streams.Window) = ()
        }
        val small = if (upperBound > 5) upperBound / 4096 else upperBound
        Streams.all(window.toLong, small, 10, 3).foreach(follow(sum, window, _, math.min(5000, 20 * window)))
      }
    }
  }

  test("bits against the formulas") {
    for (window <- Seq(1 << 10, 1 << 16); epsilon <- Seq(0.1, 0.01); upperBound <- Seq(1, 1000)) {
      val q = math.ceil(1 / (2 * epsilon))
      val sizes = math.ceil(log2(window * (upperBound / q) + 1)) + 1
      val histogram = ExponentialHistogram.create(window, upperBound, epsilon)
      for (_ <- 0 until 3 * window) {
        histogram.insert(upperBound)
        assert(histogram.bits <= sizes * ((q + 1) * log2(window.toDouble) + math.ceil(log2(q + 2))))
      }
    }
    for (window <- Seq(1 << 10, 1 << 16); epsilon <- Seq(0.1, 0.01)) {
      val q = math.ceil(1 / (2 * epsilon))
      val wave = DeterministicWave.create(window, 1, epsilon)
      for (_ <- 0 until 3 * window) wave.insert(true)
      val levels = math.ceil(log2(window / q))
      val elements = (q + 1) * levels + q + 2
      assert(wave.entries <= elements)
      assert(wave.bits <= elements * (2 * log2(window.toDouble) + 1) + 3 * log2(window.toDouble) + 20)
    }
  }

  test("arguments out of range") {
    def message(body: => Any) = intercept[IllegalArgumentException](body).getMessage
    assertEquals(message(ExactCount.create(0)), "window is 0: it must be from 1 to 2^30")
    assertEquals(
      message(ExactSum.create(10, 7).insert(8)),
      "value is 8: it must be from 0 to the upperBound 7"
    )
    assertEquals(
      message(ExponentialHistogram.create(10, 1e-9)),
      "epsilon is 1.0E-9: it must be from 2^-20 and below 1"
    )
    assertEquals(
      message(DeterministicWave.create(1 << 20, 1L << 50, 0.1)),
      "upperBound is 1125899906842624: it must be from 1 to 1099511627776 with a window of 1048576"
    )
  }

  private def log2(x: Double) = math.log(x) / math.log(2)
}
