package org.slidewise.core.summaries

import TimestampStreams.{Element, Oracle, Stream}
import org.slidewise.{LongRun, Unhurried}
import scala.util.Random

/** Tests every summary of timestamps: the error at each step, for one stream and after merges in any order. */
abstract class TimestampSuite[S <: TimestampSummary[S]] extends Unhurried {

  protected def create(maxWidth: Long, epsilon: Double): S
  protected def fromBytes(bytes: Array[Byte]): S

  /** The invariants that the class states. */
  protected def checkInvariants(summary: S): Unit

  /** The timestamps from which on the answer may be worst. */
  protected def worstBegins(summary: S): Seq[Long]

  /** The fractions of the bound that the worst errors must reach at least, and may reach at most: of one, and if merged. */
  protected def expectedWorst: ((Double, Double), (Double, Double))

  private val cases =
    for (width <- Seq(1, 100, 5000, 2, 1024).take(LongRun.orLess(5, 3)); epsilon <- Seq(0.7, 0.2, 0.05))
      yield (width, epsilon)

  private def streams(width: Int, size: Int) =
    TimestampStreams.counts(width, size, width) ++ TimestampStreams.sums(width, size, width)

  protected def horizon(stream: Stream): Int = stream.elements.map(_.time).max.toInt + 1

  /** Checks one question; the error as a fraction of the bound. */
  private def ask(summary: S, oracle: Oracle, from: Long, clue: => String): Double = {
    val now = oracle.clock
    val answer = summary.query(now, now - from)
    val exact = oracle.since(from).toDouble
    val error = math.abs(answer.estimate - exact)
    if (error > summary.epsilon * exact + 1e-9 * exact)
      fail(s"$clue: $answer for $exact from $from to $now, off by ${error / exact}")
    if (
      answer.lower > exact * (1 + 1e-12) || answer.upper < exact * (1 - 1e-12) || answer.estimate < answer.lower
    )
      fail(s"$clue: $exact is not within $answer")
    if (answer.estimate > answer.upper) fail(s"$clue: $answer")
    if (exact > 0) error / exact / summary.epsilon else 0
  }

  private def askEverything(summary: S, oracle: Oracle, clue: => String): Double = {
    checkInvariants(summary)
    val oldest = oracle.clock - summary.maxWidth
    (worstBegins(summary) ++ Seq(oldest, oracle.clock))
      .map(from => math.max(oldest, math.min(oracle.clock, from)))
      .distinct
      .map(ask(summary, oracle, _, clue))
      .max
  }

  protected def follow(stream: Stream, width: Int, epsilon: Double): Double = {
    val random = new Random(7)
    val oracle = new Oracle(horizon(stream))
    var summary = create(width.toLong, epsilon)
    var (worst, late) = (0.0, 0L)
    for ((element, i) <- stream.elements.zipWithIndex) {
      summary.insert(element.time, element.value)
      if (!oracle.insert(element, width.toLong)) late += 1
      def clue = s"${stream.name}, W = $width, ε = $epsilon, step $i"
      if (i % 3000 < 1000) {
        val from = oracle.clock - random.nextInt(width + 1)
        worst = math.max(worst, ask(summary, oracle, from, clue))
      }
      if (i % 1500 == 700) worst = math.max(worst, askEverything(summary, oracle, clue))
      if (random.nextInt(1000) == 0) summary = reread(summary)
    }
    assertEquals(summary.late, late, stream.name)
    math.max(worst, askEverything(summary, oracle, s"${stream.name} at its end"))
  }

  private def reread(summary: S): S = {
    val bytes = summary.toBytes
    assertEquals(bytes.length.toLong, summary.headerBytes + (summary.bits + 7) / 8)
    val again = fromBytes(bytes)
    assertEquals(again.toBytes.toSeq, bytes.toSeq)
    assertEquals((again.clock, again.late, again.bits), (summary.clock, summary.late, summary.bits))
    again
  }

  test("the relative error is at most ε at each step, in any order") {
    val worst = (for ((width, epsilon) <- cases; stream <- streams(width, math.min(9000, 9 * width + 300)))
      yield follow(stream, width, epsilon)).max
    val (least, most) = expectedWorst._1
    assert(least <= worst && worst <= most, worst)
  }

  test("merged in trees of any shape, the relative error is at most ε") {
    val random = new Random(3)
    var worst = 0.0
    for ((width, epsilon) <- cases if width > 2; stream <- streams(width, 6000); shape <- 0 until 3) {
      val oracle = new Oracle(horizon(stream))
      val parts = 2 + random.nextInt(60)
      val elements = stream.elements.filter(oracle.insert(_, width.toLong))
      val clock = oracle.clock
      val split = shape match {
        case 0 => elements.grouped(elements.size / parts + 1).toSeq
        case _ => elements.groupBy(_ => random.nextInt(parts)).values.toSeq
      }
      val leaves = split.map(part => summaryOf(part, width, epsilon))
      val all = if (shape == 1) leaves.reduce(merged) else mergedAtRandom(leaves, random)
      assertEquals(all.clock, clock)
      worst = math.max(
        worst,
        askEverything(all, oracle, s"${stream.name} in $parts parts, W = $width, ε = $epsilon")
      )
      for (element <- stream.elements.take(500).map(e => Element(clock - e.time % width, e.value))) {
        all.insert(element.time, element.value)
        if (element.time >= 0) oracle.insert(element, width.toLong)
      }
      if (clock >= width) askEverything(reread(all), oracle, s"${stream.name}, merged and gone on")
    }
    val (least, most) = expectedWorst._2
    assert(least <= worst && worst <= most, worst)
  }

  private def summaryOf(elements: Seq[Element], width: Int, epsilon: Double): S = {
    val summary = create(width.toLong, epsilon)
    elements.foreach(element => summary.insert(element.time, element.value))
    summary
  }

  private def merged(into: S, other: S): S = {
    val before = other.toBytes.toSeq
    into.merge(other)
    assertEquals(other.toBytes.toSeq, before)
    into
  }

  private def mergedAtRandom(all: Seq[S], random: Random): S =
    if (all.size == 1) all.head
    else {
      val shuffled = random.shuffle(all)
      mergedAtRandom(merged(shuffled.head, shuffled(1)) +: shuffled.drop(2), random)
    }

  test("a chain of a thousand merges") {
    val (width, epsilon) = (1000, 0.1)
    val random = new Random(11)
    val oracle = new Oracle(4 * width)
    val all = create(width.toLong, epsilon)
    for (i <- 0 until 1000) {
      val part = Seq.fill(20)(Element(math.max(0L, i * 3L - random.nextInt(width)), 1L + random.nextInt(5)))
      all.merge(summaryOf(part, width, epsilon))
      part.foreach(oracle.insert(_, width.toLong))
      if (i % 50 == 49) askEverything(all, oracle, s"after $i merges")
    }
  }

  test("time may go on without elements, and what is too old goes; windows that ended before") {
    val summary = create(1000, 0.1)
    val oracle = new Oracle(20000)
    for (i <- 0 until 10000) {
      summary.insert(i.toLong)
      oracle.insert(Element(i.toLong, 1), 1000)
    }
    for (to <- Seq(9999L, 9998L, 9500L, 9100L); width <- Seq(0L, 1L, 77L)) {
      val answer = summary.query(to, width)
      val exact = oracle.between(to - width, to)
      assert(answer.lower <= exact && exact <= answer.upper, s"$exact is not within $answer")
      assert(math.abs(answer.estimate - exact) <= 0.1 * oracle.since(to - width))
    }
    val bits = summary.bits
    summary.advanceTo(10500)
    assertEquals(summary.clock, 10500L)
    val answer = summary.query(1000)
    assert(math.abs(answer.estimate - 500) <= 0.1 * 500, answer)
    summary.insert(9499)
    assertEquals(summary.late, 1L)
    summary.advanceTo(10000)
    assertEquals(summary.clock, 10500L)
    summary.advanceTo(20000)
    assertEquals(summary.query(1000).upper, 0.0)
    summary.insert(20001)
    assertEquals(summary.query(1000).estimate, 1.0)
    assert(summary.bits < bits)
  }

  test("timestamps below 0, and nothing at all") {
    val summary = create(100, 0.1)
    assertEquals(summary.query(50).estimate, 0.0)
    assertEquals(summary.query(7, 50).upper, 0.0)
    for (i <- -1000 to 50) summary.insert(i.toLong)
    assert(math.abs(summary.query(100).estimate - 101) <= 10.1)
    assertEquals(reread(summary).query(0).estimate, 1.0)
    val empty = create(100, 0.1)
    assertEquals(reread(empty).clock, Long.MinValue)
    empty.merge(create(100, 0.1))
    empty.merge(summary)
    assert(math.abs(empty.query(100).estimate - 101) <= 10.1)
    summary.merge(create(100, 0.1))
    assert(math.abs(summary.query(100).estimate - 101) <= 10.1)
  }

  test("arguments out of range") {
    def message(body: => Any) = intercept[IllegalArgumentException](body).getMessage
    assertEquals(message(create(0, 0.1)), "maxWidth is 0: it must be from 1 to 2^60")
    assertEquals(message(create(5, 1)), "epsilon is 1.0: it must be from 2^-20 and below 1")
    val summary = create(100, 0.1)
    summary.insert(1000)
    assertEquals(message(summary.insert(3, -1)), "value is -1: it must be from 0 to 2^53")
    assertEquals(
      message(summary.insert(Long.MinValue)),
      s"time is ${Long.MinValue}: it must be from -2^61 to 2^61"
    )
    assertEquals(message(summary.query(101)), "width is 101: it must be from 0 to the maxWidth 100")
    assertEquals(
      message(summary.query(950, 60)),
      "now is 950: it must be at least 960 with a width of 60, as the clock is at 1000"
    )
    assertEquals(
      message(summary.merge(create(101, 0.1))),
      "maxWidth of other is 101: it must be 100, as here"
    )
    assertEquals(message(summary.merge(create(100, 0.2))), "epsilon of other is 0.2: it must be 0.1, as here")
  }
}
