package org.slidewise.bench.summaries

import java.util.SplittableRandom
import org.slidewise.core.summaries._

/** How long single insertions take: percentiles in nanoseconds, what the clock itself takes included. */
private[summaries] object StepTimes {
  private final val Steps = 1 << 22
  private final val Window = 1L << 20
  private val shown = Seq("median" -> 0.5, "99 %" -> 0.99, "99.9 %" -> 0.999, "99.99 %" -> 0.9999)

  def table: Seq[Seq[String]] = {
    val random = new SplittableRandom(1)
    val bits = Array.fill(Steps)(random.nextInt(2) == 0)
    val delays = Array.fill(Steps)((-math.log(1 - random.nextDouble()) * 1000).toLong)
    val count = AdditiveCount.create(Window, 0.01)
    val sum = AdditiveSum.create(Window, 1000, 0.01)
    val wave = DeterministicWave.create(Window, 0.01)
    val buckets = ExponentialHistogram.create(Window, 0.01)
    val sums = ExponentialHistogram.create(Window, 1000, 0.01)
    val digest = DyadicDigest.create(Window, 0.05)
    val histogram = SplittableHistogram.create(Window, 0.05)
    Seq(
      "insertion into" +: shown.map(_._1),
      measured("nothing: the clock")(_ => ()),
      measured("Algorithm 1, ε = 1 %")(i => count.insert(bits(i))),
      measured("Algorithm 2, ε = 1 %")(i => sum.insert(delays(i) % 1000)),
      measured("wave, ε = 1 %")(i => wave.insert(bits(i))),
      measured("exponential histogram, ε = 1 %")(i => buckets.insert(bits(i))),
      measured("exponential histogram of sums, ε = 1 %")(i => sums.insert(delays(i) % 1000)),
      measured("digest, ε = 5 %, delayed")(i => digest.insert(i - delays(i))),
      measured("splittable histogram, ε = 5 %, delayed")(i => histogram.insert(i - delays(i)))
    )
  }

  /** Of the second half of the steps, as the first one warms up. */
  private def measured(name: String)(step: Int => Unit): Seq[String] = {
    val times = new Array[Int](Steps)
    var i = 0
    while (i < Steps) {
      val before = System.nanoTime()
      step(i)
      times(i) = (System.nanoTime() - before).toInt
      i += 1
    }
    val sorted = times.drop(Steps / 2)
    java.util.Arrays.sort(sorted)
    name +: shown.map { case (_, part) => Report.whole(sorted((part * (sorted.length - 1)).toInt).toDouble) }
  }
}
