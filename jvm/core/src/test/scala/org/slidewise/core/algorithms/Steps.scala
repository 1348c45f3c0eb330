package org.slidewise.core.algorithms

import scala.util.Random

/** Runs of operations on a window, by name. */
object Steps {

  sealed trait Step
  final case class Insert(count: Int) extends Step
  case object Evict extends Step
  final case class EvictMany(count: Int) extends Step

  private def times(n: Int)(steps: Step*): Seq[Step] = Seq.fill(n)(steps).flatten

  private def rounds(n: Int): Seq[Step] = times(n)(Insert(1)) ++ times(3 * n + 7)(Evict, Insert(1))

  private val fillAndDrain: Seq[Step] =
    Seq(1, 15, 16, 17, 70, 3).flatMap(n => times(n)(Insert(1)) ++ times(n)(Evict))

  private val sawtooth: Seq[Step] =
    times(25)(Insert(1), Insert(1), Insert(1), Evict, Evict) ++ times(24)(Evict, Evict, Insert(1))

  private def bursts(seed: Long): Seq[Step] = {
    val random = new Random(seed)
    var size = 0
    Seq
      .fill(60) {
        val in = random.nextInt(40)
        val out = if (random.nextInt(5) == 0) size + in else random.nextInt(size + in + 1)
        size += in - out
        Seq(Insert(in), EvictMany(out))
      }
      .flatten
  }

  private def coins(seed: Long): Seq[Step] = {
    val random = new Random(seed)
    var size = 0
    Seq.fill(400) {
      if (size == 0 || random.nextInt(100) < 52) { size += 1; Insert(1) }
      else if (random.nextInt(12) == 0) {
        val out = random.nextInt(size + 1)
        size -= out
        EvictMany(out)
      } else { size -= 1; Evict }
    }
  }

  val all: Seq[(String, Seq[Step])] = Seq(
    "rounds at 1" -> rounds(1),
    "rounds at 2" -> rounds(2),
    "rounds at 16" -> rounds(16),
    "rounds at 45" -> rounds(45),
    "fill and drain" -> fillAndDrain,
    "sawtooth" -> sawtooth,
    "bursts" -> bursts(1),
    "other bursts" -> bursts(2),
    "coins" -> coins(4)
  )

  /** Does `step` by single operations, calling `after` after each. */
  def run[In](step: Step, window: org.slidewise.core.SlidingAggregator[In, _], elements: Iterator[In])(
      inserted: In => Unit,
      evicted: Int => Unit
  ): Unit = step match {
    case Insert(count) =>
      (0 until count).foreach { _ =>
        val in = elements.next()
        window.insert(in)
        inserted(in)
      }
    case Evict =>
      window.evict()
      evicted(1)
    case EvictMany(count) =>
      window.evict(count)
      evicted(count)
  }
}
