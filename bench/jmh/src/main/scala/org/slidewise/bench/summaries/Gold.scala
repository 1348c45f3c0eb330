package org.slidewise.bench.summaries

import java.util.SplittableRandom
import org.slidewise.core.summaries._

/**
 * A price each millisecond, and its mean over the last hour to 0.01 % of the greatest price there can be: the example of Ben
 * Basat, Einziger, Friedman and Kassner, section 1.
 */
private[summaries] object Gold {
  private final val Window = 3600000
  private final val Greatest = 5000.0
  private final val Epsilon = 1e-4

  def table: Seq[Seq[String]] = {
    val random = new SplittableRandom(1)
    val sum = AdditiveSum.createReal(Window, Greatest, Epsilon)

    /** A relative error that comes to the same while the price is above 3,000, of prices in cents. */
    val wave = DeterministicWave.create(Window, (100 * Greatest).toLong, Epsilon * Greatest / 3000)
    val prices = new Array[Double](Window)
    var (total, price) = (0.0, 4000.0)
    var (worst, worstOfWave) = (0.0, 0.0)
    for (i <- 0 until 3 * Window) {
      price = math.max(3000, math.min(Greatest, price + (random.nextDouble() - 0.5) * 0.5))
      total += price - prices(i % Window)
      prices(i % Window) = price
      sum.insert(price)
      wave.insert(math.round(100 * price))
      if (i >= Window && i % 97 == 0) {
        worst = math.max(worst, math.abs(sum.estimate - total) / Window)
        worstOfWave = math.max(worstOfWave, math.abs(wave.estimate / 100 - total) / Window)
      }
    }
    Seq(
      Seq("state", "bytes", "allowed error of the mean", "worst seen"),
      row("Algorithm 2", sum.bits, Epsilon * Greatest, worst),
      row("wave", wave.bits, Epsilon * Greatest, worstOfWave),
      Seq("the prices themselves, 8 bytes each", Report.whole(8.0 * Window), "0", "0")
    )
  }

  private def row(name: String, bits: Long, allowed: Double, worst: Double) =
    Seq(name, Report.whole((bits + 7.0) / 8), f"$allowed%.3f", f"$worst%.3f")
}
