package org.slidewise.bench.summaries

import java.util.SplittableRandom
import org.slidewise.core.summaries._

/**
 * Packets, and their bytes, by the millisecond in which they were sent; each is delayed at random on its way to one of eight
 * probes, whose summaries are merged. What was sent in the last second, minute, … is asked of the whole.
 */
private[summaries] object Network {
  private final val Day = 86400000L
  private final val Packets = 4000000
  private final val Epsilon = 0.05
  private final val Probes = 8
  private val widths =
    Seq("a second" -> 1000L, "a minute" -> 60000L, "an hour" -> 3600000L, "a day" -> (Day - 10000))

  def table: Seq[Seq[String]] = {
    val random = new SplittableRandom(1)
    val digests = Array.fill(Probes)(DyadicDigest.create(Day, Epsilon))
    val histograms = Array.fill(Probes)(SplittableHistogram.create(Day, Epsilon))
    val bytesAt = new Array[Long](Day.toInt)
    for (i <- 0 until Packets) {
      // Most take some milliseconds, and one in a hundred some seconds.
      val delay = -math.log(1 - random.nextDouble()) * (if (random.nextInt(100) == 0) 3000 else 20)
      val arrived = i.toLong * Day / Packets
      val sent = math.max(0L, arrived - delay.toLong)
      val size = 40 + random.nextLong(1460)
      bytesAt(sent.toInt) += size
      digests(random.nextInt(Probes)).insert(sent, size)
      histograms(random.nextInt(Probes)).insert(sent, size)
    }
    val each = Seq(digests.map(_.bits).max, histograms.map(_.bits).max)
    val (digest, histogram) = (digests.head, histograms.head)
    digests.tail.foreach(digest.merge)
    histograms.tail.foreach(histogram.merge)
    Seq(
      "state" +: "bytes a probe" +: "bytes merged" +: widths.map { case (name, _) => s"error, $name" },
      row("digest", each.head, digest, bytesAt),
      row("splittable histogram", each(1), histogram, bytesAt),
      Seq(
        "timestamps and sizes, 12 bytes a packet",
        Report.whole(12.0 * Packets / Probes),
        Report.whole(12.0 * Packets)
      ) ++
        widths.map(_ => "0")
    )
  }

  private def row(name: String, bits: Long, all: TimestampSummary[_], bytesAt: Array[Long]): Seq[String] =
    Seq(name, Report.whole((bits + 7.0) / 8), Report.whole((all.bits + 7.0) / 8)) ++ widths.map {
      case (_, width) =>
        val from = math.max(0, all.clock - width).toInt
        val exact = bytesAt.drop(from).sum.toDouble
        Report.share(math.abs(all.query(width).estimate - exact) / exact)
    }
}
