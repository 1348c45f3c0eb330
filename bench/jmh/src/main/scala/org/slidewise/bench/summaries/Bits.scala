package org.slidewise.bench.summaries

import org.slidewise.core.summaries._

/** Bits of state against ε, for a window of 2^20^ elements. */
private[summaries] object Bits {
  private final val Window = 1L << 20
  private final val UpperBound = 1000L
  private val epsilons = Seq(0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)

  /** Of one structure, the bits for each ε for which there is one; of those that grow, after two windows of ones. */
  final case class Line(name: String, bits: Seq[(Double, Long)])

  def counts: Seq[Line] = Seq(
    Line("lower bound, additive", epsilons.map(e => (e, LowerBounds.count(Window, e)))),
    Line("Algorithm 1", epsilons.map(e => (e, AdditiveCount.create(Window, e).bits))),
    Line("exponential histogram", relative(e => filled(ExponentialHistogram.create(Window, e), 1))),
    Line("wave", relative(e => filled(DeterministicWave.create(Window, e), 1))),
    Line("exact", epsilons.map(e => (e, Window)))
  )

  private def relative(bits: Double => Long): Seq[(Double, Long)] =
    epsilons.filter(_ > 5e-6).map(e => (e, bits(e)))

  /** After two windows of `value`. */
  private def filled(summary: SumSummary, value: Long): Long = {
    for (_ <- 0L until 2 * Window) summary.insert(value)
    summary.bits
  }

  private def bitsOrNone(bits: Map[Double, Long], epsilon: Double): String =
    bits.get(epsilon).fold("-")(b => Report.whole(b.toDouble))

  def table(lines: Seq[Line]): Seq[Seq[String]] =
    ("ε" +: lines.map(_.name)) +: epsilons.map { e =>
      s"$e" +: lines.map(line => bitsOrNone(line.bits.toMap, e))
    }

  def sumLine: Line =
    Line(
      "Algorithms 2, 3: sums to 1000",
      epsilons.map(e => (e, AdditiveSum.create(Window, UpperBound, e).bits))
    )

  def sums: Seq[Seq[String]] = {
    val header = Seq(
      "ε",
      "lower bound, additive",
      "Algorithm 2 or 3",
      "which",
      "ratio",
      "exponential histogram",
      "wave",
      "exact"
    )
    val histogram =
      relative(e => filled(ExponentialHistogram.create(Window, UpperBound, e), UpperBound)).toMap
    val wave = relative(e => filled(DeterministicWave.create(Window, UpperBound, e), UpperBound)).toMap
    header +: epsilons.map { e =>
      val sum = AdditiveSum.create(Window, UpperBound, e)
      val least = LowerBounds.sum(Window, UpperBound, e)
      Seq(
        s"$e",
        Report.whole(least.toDouble),
        Report.whole(sum.bits.toDouble),
        if (2 * e * Window > 1) "2" else "3",
        f"${sum.bits.toDouble / least}%.2f",
        bitsOrNone(histogram, e),
        bitsOrNone(wave, e),
        Report.whole(ExactSum.create(Window, UpperBound).bits.toDouble)
      )
    }
  }
}
