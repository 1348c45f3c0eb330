package org.slidewise.core.summaries

class AdditiveCountSuite extends BoundSuite {
  private val cases = for {
    window <- Seq(1, 2, 7, 64, 100, 1000, 1024, 4099)
    epsilon <- Seq(0.9, 0.5, 0.3, 0.1, 0.05, 0.0123, 0.001, 1e-9)
  } yield (window, epsilon)

  private def subject(window: Int, epsilon: Double) = new Subject[AdditiveCount] {
    def make() = AdditiveCount.create(window, epsilon)
    def insert(summary: AdditiveCount, value: Long) = summary.insert(value == 1)
    def fromBytes(bytes: Array[Byte]) = AdditiveCount.fromBytes(bytes)
    def bound(summary: AdditiveCount, exact: Double) = summary.maxError

    def checkInvariants(summary: AdditiveCount, window: Streams.Window) = {
      val state = summary.state
      assert(0 <= state.offset && state.offset < state.s, s"(C1): $state")
      assert(0 <= state.y && state.y <= state.s - 1 + state.offset, s"(C1): $state")
      assertEquals(state.counted, state.marked, s"(C2): $state")
    }
  }

  test("the error is at most the one stated, at each step, and adversaries reach it") {
    for ((window, epsilon) <- cases) {
      val it = subject(window, epsilon)
      val summary = it.make()
      assert(summary.maxError <= epsilon * window)
      val block = summary.state.s
      val worst = Streams
        .all(window.toLong, 1, block, window)
        .map(stream => follow(it, window, stream, math.min(25000, 40 * window + 500)))
        .max
      if (block > 1 && block < window) assert(worst > 0.95, s"W = $window, ε = $epsilon: only $worst")
    }
  }

  test("where ε W divides the window, the error reaches ε W itself") {
    val epsilon = (101 - 1) / 2.0 / 10100
    val it = subject(10100, epsilon)
    assertEquals(it.make().maxError, epsilon * 10100)
    val worst = Streams.all(10100, 1, 101, 3).map(follow(it, 10100, _, 60000)).max
    assert(worst > 0.99, worst)
  }

  test("bits: one a block and two logarithms, never more than three times the lower bound") {
    for ((window, epsilon) <- cases if epsilon < 0.5) {
      val bits = AdditiveCount.create(window, epsilon).bits
      val z = math.floor(2 * epsilon * window) + 1
      val formula =
        math.ceil(window / z) + math.ceil(log2(2 * z - 1)) + math.ceil(log2(z))
      assert(bits <= formula, s"W = $window, ε = $epsilon: $bits bits, formula $formula")
      val least = LowerBounds.count(window, epsilon)
      assert(
        bits >= least && bits <= 3 * least + 3,
        s"W = $window, ε = $epsilon: $bits bits, lower bound $least"
      )
    }
    assertEquals(AdditiveCount.create(1L << 20, 0.05).bits, 10L + 18 + 17)
    assertEquals(AdditiveCount.create(1L << 40, 0.01).bits, 50L + 36 + 35)
  }

  test("more bits than allowed, and arguments out of range") {
    def message(body: => Any) = intercept[IllegalArgumentException](body).getMessage
    assertEquals(
      message(AdditiveCount.create(0, 0.1)),
      "window is 0: it must be from 1 to 2^40 elements"
    )
    for (epsilon <- Seq(0.0, 1.0, -0.5, Double.NaN, Double.PositiveInfinity))
      assertEquals(
        message(AdditiveCount.create(10, epsilon)),
        s"epsilon is $epsilon: it must be above 0 and below 1"
      )
    assertEquals(
      message(AdditiveCount.create(1L << 40, 1e-11)),
      "epsilon is 1.0E-11: with a window of 1099511627776 it needs 6248 MB of state and at most 134 MB is allowed; " +
        "take a larger epsilon or a shorter window"
    )
  }

  private def log2(x: Double) = math.log(x) / math.log(2)
}
