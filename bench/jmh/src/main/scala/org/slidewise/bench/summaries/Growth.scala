package org.slidewise.bench.summaries

import java.lang.management.ManagementFactory
import java.util.SplittableRandom
import org.slidewise.core.summaries._

/** Space and time of the summaries of timestamps as the count B grows, W = 2^20^ and ε = 5 %, timestamps anywhere in the window. */
private[summaries] object Growth {
  private final val Log = 20
  private final val Epsilon = 0.05
  private val counts = Seq(12, 14, 16, 18, 20, 22)

  def table: Seq[Seq[String]] = {
    val random = new SplittableRandom(1)
    val (digest, histogram) =
      (DyadicDigest.create(1L << Log, Epsilon), SplittableHistogram.create(1L << Log, Epsilon))
    val alpha = math.ceil((1 + Log) * (2 + Epsilon) / Epsilon)
    var before = 0
    Seq(
      "B",
      "buckets",
      "α (log₂ B + 1)",
      "bits",
      "its bound",
      "ns an element",
      "ranges",
      "bits",
      "ns an element"
    ) +:
      counts.map { power =>
        val times = Array.fill((1 << power) - before)(random.nextLong(1L << Log))
        before = 1 << power
        val histogramTime = time(histogram, times)
        val digestTime = time(digest, times)
        Seq(
          s"2^$power",
          Report.whole(histogram.buckets.toDouble),
          Report.whole(alpha * (power + 1)),
          Report.whole(histogram.bits.toDouble),
          Report.whole(alpha * (power + 1) * (Log + power)),
          Report.whole(histogramTime),
          Report.whole(digest.ranges.toDouble),
          Report.whole(digest.bits.toDouble),
          Report.whole(digestTime)
        )
      }
  }

  /** Of the processor. */
  private def time(summary: TimestampSummary[_], times: Array[Long]): Double = {
    val thread = ManagementFactory.getThreadMXBean
    val begin = thread.getCurrentThreadCpuTime
    times.foreach(summary.insert(_))
    (thread.getCurrentThreadCpuTime - begin).toDouble / times.length
  }
}
