package org.slidewise.bench.latency

import java.lang.management.ManagementFactory
import java.util.Locale
import org.HdrHistogram.Histogram
import org.slidewise.bench.Subject

/**
 * The time of each single round of evict, insert and query on a window of a fixed size, as a distribution.
 *
 * Each round is followed by a control that touches no window: arithmetic that takes about as long as the median round, timed
 * in the same way. What is as long in the control comes from the clock, the machine and the JVM, and not from the
 * algorithm. Prints one line of JSON; its `from` and `until`, in milliseconds since the JVM's start, tell which of the
 * pauses in a log of safepoints fell into the measurement.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 7.1,
 *   Fig. 9
 */
object Latencies {

  private final val WarmUpRounds = 1000000
  private final val Longest = 10000000000L

  def main(arguments: Array[String]): Unit = arguments match {
    case Array(operator, algorithm, elements, rounds) =>
      val subject = Subject(operator, algorithm, elements.toInt)
      (1 to elements.toInt).foreach(i => subject.insert(i.toLong))
      println(new Latencies(subject, elements.toLong).measure(rounds.toInt))
    case _ => throw new IllegalArgumentException("Arguments: operator algorithm elements rounds")
  }

  private def json(rounds: Histogram): String = {
    val marks = Seq("median" -> 50.0, "p99.9" -> 99.9, "p99.999" -> 99.999)
    val named = marks.map { case (name, p) => s""""$name": ${rounds.getValueAtPercentile(p)}""" }
    val curve = (0 to 7 * 4).map { i =>
      val beyond = math.pow(10, -i / 4.0)
      String.format(Locale.ROOT, "[%.10f, %d]", beyond, rounds.getValueAtPercentile(100 * (1 - beyond)))
    }
    s"""{${named.mkString(", ")}, "max": ${rounds.getMaxValue}, "curve": ${curve.mkString("[", ", ", "]")}}"""
  }
}

final class Latencies private (subject: Subject, inserted: Long) {
  import Latencies._

  private var next = inserted + 1
  private var seed = 88172645463325252L
  private var sink = 0.0
  private val works = new Histogram(Longest, 3)
  private val controls = new Histogram(Longest, 3)

  private def measure(rounds: Int): String = {
    val steps = calibrated()
    works.reset()
    controls.reset()
    System.gc()
    val from = uptime
    run(rounds, steps)
    s"""{"rounds": $rounds, "from": $from, "until": $uptime, "control_steps": $steps, """ +
      s""""window": ${json(works)}, "control": ${json(controls)}, "sink": "${sink + seed}"}"""
  }

  /** How many steps of arithmetic take as long as the median round. */
  private def calibrated(): Int = {
    var steps = 32
    (0 until 4).foreach { _ =>
      works.reset()
      controls.reset()
      run(WarmUpRounds, steps)
      val ratio = works.getValueAtPercentile(50).toDouble / math.max(controls.getValueAtPercentile(50), 1L)
      steps = math.max(1, math.min(math.round(steps * ratio).toInt, 100000))
    }
    steps
  }

  private def run(rounds: Int, steps: Int): Unit = {
    var i = 0
    while (i < rounds) {
      val begin = System.nanoTime()
      subject.evict()
      subject.insert(next)
      sink += subject.query()
      val middle = System.nanoTime()
      var j = 0
      while (j < steps) {
        seed ^= seed << 13
        seed ^= seed >>> 7
        seed ^= seed << 17
        j += 1
      }
      val end = System.nanoTime()
      next += 1
      works.recordValue(middle - begin)
      controls.recordValue(end - middle)
      i += 1
    }
  }

  private def uptime: Long = ManagementFactory.getRuntimeMXBean.getUptime
}
