package org.slidewise.core.summaries

import org.slidewise.Unhurried
import scala.util.Random

/** Follows a summary and the whole window side by side, and holds each step's answer against the bounds. */
abstract class BoundSuite extends Unhurried {

  /** A summary to follow, as the few things that the tests do with one. */
  protected trait Subject[S <: WindowSummary] {
    def make(): S
    def insert(summary: S, value: Long): Unit
    def fromBytes(bytes: Array[Byte]): S

    /** The greatest error that is allowed where the sum is `exact`. */
    def bound(summary: S, exact: Double): Double

    /** The invariants that its class states, where `window` is the stream's. */
    def checkInvariants(summary: S, window: Streams.Window): Unit
  }

  /** The rounding error of the bound itself, computed in doubles. */
  private def rounding(exact: Double): Double = 1e-9 * (1 + exact)

  /**
   * Runs `steps` of the stream through the subject, and sometimes replaces it by its stored and read form.
   *
   * @return
   *   the worst error seen, as a fraction of the bound
   */
  protected def follow[S <: WindowSummary](
      subject: Subject[S],
      window: Int,
      stream: Streams.Stream,
      steps: Int
  ): Double = {
    val random = new Random(1)
    val oracle = new Streams.Window(window)
    var summary = subject.make()
    var worst = 0.0
    var i = 0
    while (i < steps) {
      val value = stream.at(i)
      subject.insert(summary, value)
      oracle.insert(value)
      val exact = oracle.sum.toDouble
      val error = math.abs(summary.estimate - exact)
      val bound = subject.bound(summary, exact)
      if (error > bound + rounding(exact))
        fail(s"${stream.name}, step $i: ${summary.estimate} for $exact is off by $error, more than $bound")
      if (summary.lower > exact + rounding(exact) || summary.upper < exact - rounding(exact))
        fail(s"${stream.name}, step $i: $exact is not from ${summary.lower} to ${summary.upper}")
      if (summary.estimate < summary.lower || summary.estimate > summary.upper)
        fail(
          s"${stream.name}, step $i: ${summary.estimate} is not from ${summary.lower} to ${summary.upper}"
        )
      if (bound > 0) worst = math.max(worst, error / bound)
      if (random.nextInt(2000) == 0) {
        subject.checkInvariants(summary, oracle)
        summary = reread(subject, summary)
      }
      i += 1
    }
    subject.checkInvariants(summary, oracle)
    worst
  }

  private def reread[S <: WindowSummary](subject: Subject[S], summary: S): S = {
    val bytes = summary.toBytes
    assertEquals(bytes.length.toLong, summary.headerBytes + (summary.bits + 7) / 8)
    val again = subject.fromBytes(bytes)
    assertEquals(again.toBytes.toSeq, bytes.toSeq)
    assertEquals(
      (again.estimate, again.lower, again.upper),
      (summary.estimate, summary.lower, summary.upper)
    )
    again
  }
}
