package org.slidewise.core.summaries

import scala.util.Random

/** Streams to try the bounds with: the value of each element from 0 to `greatest`, by its position. */
object Streams {
  final case class Stream(name: String, at: Int => Long)

  /**
   * @param block
   *   the length at which a summary's blocks may begin and end, for inputs that meet or miss them
   */
  def all(window: Long, greatest: Long, block: Long, seed: Int): Seq[Stream] =
    random(greatest, seed) ++ patterns(window, greatest, block) :+ lowerBoundWords(
      window,
      greatest,
      block,
      seed
    )

  private def random(greatest: Long, seed: Int): Seq[Stream] = {
    def numbers = new Random(seed)
    val (even, rare, dense, walk) = (numbers, numbers, numbers, numbers)
    var level = greatest / 2
    Seq(
      Stream("random", _ => (even.nextDouble() * (greatest + 1)).toLong),
      Stream("rare", _ => if (rare.nextInt(200) == 0) greatest else 0),
      Stream("dense", _ => if (dense.nextInt(50) == 0) 0 else greatest),
      Stream(
        "random walk",
        _ => {
          level = math.max(0, math.min(greatest, level + ((walk.nextDouble() - 0.5) * greatest / 8).toLong))
          if (greatest == 1) (walk.nextInt(7) / 4).toLong else level
        }
      )
    )
  }

  private def patterns(window: Long, greatest: Long, block: Long): Seq[Stream] = {
    val s = math.max(1, block).toInt
    val half = (greatest + 1) / 2
    Seq(
      Stream("all ones", _ => greatest),
      Stream("ones, then zeros", i => if (i / (2 * window) % 2 == 0) greatest else 0),
      Stream("one window on, one off", i => if (i / window % 2 == 0) greatest else 0),
      Stream("bursts of a block", i => if (i / s % 2 == 0) greatest else 0),
      Stream("bursts of a block, off by half", i => if ((i + s / 2) / s % 2 == 0) greatest else 0),
      Stream("all but one a block", i => if (i % s == 0) 0 else greatest),
      Stream("all but the last one a block", i => if (i % s == s - 1) 0 else greatest),
      Stream("one block, then all but one of blocks", i => if (i < s || i % s != 0) greatest else 0),
      Stream("blocks of just under half", i => if (i % s < s / 2) greatest else 0),
      Stream("blocks that end in just over half", i => if (i % s < s / 2 - 1) 0 else greatest),
      Stream("one in the first block only", i => if (i < s && i >= s - 2) greatest else 0),
      Stream("sawtooth", i => greatest * (i % (window + 1)) / (window + 1)),
      Stream("falling sawtooth", i => greatest - greatest * (i % (3 * s + 1)) / (3 * s + 1)),
      Stream("just below the rounding", _ => math.max(0, half - 1)),
      Stream("least", _ => math.min(1, greatest)),
      Stream("alternating", i => if (i % 2 == 0) greatest else 0)
    )
  }

  /** The words of the proofs of Lemmas 3 and 12: blocks of one letter, then zeros until the word has left; again and again. */
  private def lowerBoundWords(window: Long, greatest: Long, block: Long, seed: Int): Stream = {
    val s = math.max(1, block)
    Stream(
      "lower-bound words",
      i => {
        val (round, place) = (i / (2 * window), i % (2 * window))
        if (place >= window) 0
        else {
          val letter = new Random(seed + 31 * round + 7919 * (place / s)).nextInt(3)
          greatest * letter / 2
        }
      }
    )
  }

  /** The sum of the last `window` values. */
  final class Window(window: Int) {
    private val values = new Array[Long](window)
    private var at = 0
    private var total = 0L
    private var seen = 0L

    def insert(value: Long): Unit = {
      total += value - values(at)
      values(at) = value
      at = if (at + 1 == window) 0 else at + 1
      seen += 1
    }

    def sum: Long = total
    def size: Long = math.min(seen, window.toLong)
    def newestFirst(i: Int): Long = values(Math.floorMod(at - 1 - i, window))
  }
}
