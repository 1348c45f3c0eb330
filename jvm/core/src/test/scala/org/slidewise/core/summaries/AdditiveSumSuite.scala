package org.slidewise.core.summaries

import org.slidewise.LongRun

class AdditiveSumSuite extends BoundSuite {
  private val cases = for {
    window <- Seq(1, 7, 100, 1000, 2053)
    upperBound <- Seq(1L, 100L, 1L << 40, 3L, 65535L, 1000000007L).take(LongRun.orLess(6, 3))
    epsilon <- Seq(0.6, 0.1, 0.02, 0.001, 0.6 / 2053, 0.4 / 2053, 0.01 / 2053, 1e-5 / 2053)
  } yield (window, upperBound, epsilon)

  private def subject(window: Int, upperBound: Long, epsilon: Double, real: Boolean) =
    new Subject[AdditiveSum] {
      def make() =
        if (real) AdditiveSum.createReal(window, upperBound.toDouble, epsilon)
        else AdditiveSum.create(window, upperBound, epsilon)
      def insert(summary: AdditiveSum, value: Long) =
        if (real) summary.insert(value.toDouble) else summary.insert(value)
      def fromBytes(bytes: Array[Byte]) = AdditiveSum.fromBytes(bytes)
      def bound(summary: AdditiveSum, exact: Double) = summary.maxError

      def checkInvariants(summary: AdditiveSum, window: Streams.Window) = AdditiveSumSuite.check(summary)
    }

  test("the error is at most the one stated, at each step, and adversaries come near to it") {
    var worstOfAll = 1.0
    for (real <- Seq(false, true); (window, upperBound, epsilon) <- cases if allowed(window, epsilon, real)) {
      val it = subject(window, upperBound, epsilon, real)
      val summary = it.make()
      val allowedError = epsilon * upperBound * window
      assert(summary.maxError <= allowedError * (1 + 1e-12), s"$window $upperBound $epsilon")
      val worst = Streams
        .all(window.toLong, upperBound, AdditiveSumSuite.block(summary), window)
        .map(stream => follow(it, window, stream, math.min(6000, 10 * window + 200)))
        .max
      if (window >= 100 && summary.maxError > 0) worstOfAll = math.min(worstOfAll, worst)
    }
    assert(worstOfAll > 0.45, worstOfAll)
  }

  /** Below this, blocks and cells alike would leave no room for the rounding. */
  private def allowed(window: Int, epsilon: Double, real: Boolean) = !real || epsilon > 1e-8

  test("ones and zeros need the same bits as a count") {
    for ((window, _, epsilon) <- cases)
      assert(AdditiveSum.create(window, 1, epsilon).bits <= AdditiveCount.create(window, epsilon).bits)
  }

  test("bits against the lower bound: Θ(1/ε + log W) in blocks, at most one more an element in cells") {
    for ((window, upperBound, epsilon) <- cases if epsilon < 0.5) {
      val sum = AdditiveSum.create(window, upperBound, epsilon)
      val least = LowerBounds.sum(window, upperBound, epsilon)
      val clue = s"W = $window, R = $upperBound, ε = $epsilon: ${sum.bits} bits, lower bound $least"
      assert(sum.bits >= least, clue)
      sum match {
        case _: CellSum => assert(sum.bits <= least + window + 41, clue)
        case _          => assert(sum.bits <= 3 * least + 8, clue)
      }
    }
  }

  test("cells are succinct: the ratio to the lower bound goes to 1 as ε falls") {
    val window = 1 << 16
    val ratios = Seq(1, 3, 6, 12, 24).map { power =>
      val epsilon = 1.0 / window / math.pow(2, power.toDouble)
      AdditiveSum.create(window, 1L << 40, epsilon).bits.toDouble / LowerBounds.sum(window, 1L << 40, epsilon)
    }
    assert(ratios.zip(ratios.tail).forall { case (greater, less) => less <= greater + 1e-3 }, ratios)
    assert(ratios.last < 1.05, ratios)
  }

  test("which algorithm, from W, R and ε") {
    assert(AdditiveSum.create(1000, 1000, 0.01).isInstanceOf[BlockSum])
    assert(AdditiveSum.create(1000, 1000, 0.0006).isInstanceOf[BlockSum])
    assert(AdditiveSum.create(1000, 1000, 0.0004).isInstanceOf[CellSum])
    assert(AdditiveSum.create(1000, 1, 0.0004).isInstanceOf[BlockSum], "exact: one bit an element is enough")
    assertEquals(AdditiveSum.create(1000, 1, 0.0004).bits, 1000L)
  }

  test("the range's bound does not cost bits") {
    val small = AdditiveSum.create(1L << 20, 1L << 16, 0.01).bits
    val great = AdditiveSum.create(1L << 20, 1L << 52, 0.01).bits
    assert(great <= small + 4, s"$small and $great")
  }

  test("numbers of a range that does not begin at 0, and their mean") {
    val (window, low, high, epsilon) = (500, -40.0, 60.0, 0.01)
    var sum = RangeSum.create(window, low, high, epsilon)
    val random = new scala.util.Random(5)
    val values = scala.collection.mutable.Queue.empty[Double]
    assertEquals((sum.estimate, sum.lower, sum.upper), (0.0, 0.0, 0.0))
    for (i <- 0 until 20000) {
      val value =
        if (i / 700 % 3 == 0) low
        else if (i / 700 % 3 == 1) high
        else low + random.nextDouble() * (high - low)
      sum.insert(value)
      values.enqueue(value)
      if (values.size > window) values.dequeue()
      val exact = values.sum
      assert(math.abs(sum.estimate - exact) <= epsilon * (high - low) * window)
      assert(sum.lower <= exact + 1e-6 && exact - 1e-6 <= sum.upper, s"$exact at $i")
      if (i >= window)
        assert(math.abs(sum.mean - exact / values.size) <= epsilon * (high - low))
      if (i % 997 == 0) {
        val bytes = sum.toBytes
        assertEquals(bytes.length.toLong, sum.headerBytes + (sum.bits + 7) / 8)
        sum = RangeSum.fromBytes(bytes)
        assertEquals(sum.toBytes.toSeq, bytes.toSeq)
      }
    }
  }

  test("arguments and values out of range") {
    def message(body: => Any) = intercept[IllegalArgumentException](body).getMessage
    assertEquals(message(AdditiveSum.create(10, 0, 0.1)), "upperBound is 0: it must be from 1 to 2^53")
    assertEquals(
      message(AdditiveSum.createReal(10, 0.0, 0.1)),
      "upperBound is 0.0: it must be from 2^-960 to 2^960"
    )
    assertEquals(
      message(AdditiveSum.create(10, 5, 0.1).insert(6)),
      "value is 6: it must be from 0 to the upperBound 5.0"
    )
    assertEquals(
      message(AdditiveSum.createReal(10, 5, 0.1).insert(Double.NaN)),
      "value is NaN: it must be from 0 to the upperBound 5.0"
    )
    assertEquals(
      message(AdditiveSum.create(10, 5, 1e-4).insert(2.5)),
      "value is 2.5: it must be a whole number, as upperBound was given as one"
    )
    assertEquals(
      message(AdditiveSum.createReal(10, 5, 1e-13)),
      "epsilon is 1.0E-13: with a window of 10 it must be at least 2^-39"
    )
    assertEquals(
      message(RangeSum.create(10, 5, 5, 0.1)),
      "high is 5.0: it must be above low, which is 5.0, by at most 2^960"
    )
    assertEquals(
      message(RangeSum.create(10, 0, 5, 0.1).insert(-1)),
      "value is -1.0: it must be from 0.0 to 5.0"
    )
  }
}

object AdditiveSumSuite {

  def block(sum: AdditiveSum): Long = sum match {
    case blocks: BlockSum => blocks.blockLength
    case _                => 1
  }

  def check(sum: AdditiveSum): Unit = sum match {
    case blocks: BlockSum =>
      val (offset, y, marked, counted, s, u) = blocks.state
      assert(0 <= offset && offset < s, s"(S1): $offset of $s")
      assert(0 <= y && y <= s * u - 1 + offset * u, s"(S1): $y with $offset of $s")
      assert(marked == counted, s"(S2): $marked, counted $counted")
    case cells: CellSum =>
      val (y, total, counted, q) = cells.state
      assert(0 <= y && y < q, s"(P1): $y of $q")
      assert(total == counted, s"(P2): $total, counted $counted")
    case other => throw new AssertionError(s"neither blocks nor cells: $other")
  }
}
