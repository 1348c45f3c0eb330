package org.slidewise.core.summaries

import scala.util.Random

/** Streams of timestamps, from 0 on, and of values. */
object TimestampStreams {
  final case class Element(time: Long, value: Long)
  final case class Stream(name: String, elements: Seq[Element])

  def counts(width: Int, size: Int, seed: Int): Seq[Stream] = {
    val random = new Random(seed)
    def delay = (-math.log(1 - random.nextDouble()) * width / 10).toLong
    def of(name: String)(at: Int => Long) =
      Stream(name, (0 until size).map(i => Element(math.max(0, at(i)), 1)))
    Seq(
      of("in order")(_.toLong),
      of("in order, fifty at a time")(_ / 50),
      of("in order, rare")(_ * 7L),
      of("delayed at random")(_ / 4 - delay),
      of("anywhere in the window")(i => i / 3 - random.nextInt(width)),
      of("anywhere")(_ => random.nextInt(2 * width)),
      of("reversed")(i => (size - i) / 20),
      of("reversed by windows")(i => (i / width + 1L) * width - i % width),
      of("all equal")(_ => width / 3),
      of("two neighbours, about a power of two")(i => width / 2 - i % 2),
      of("the oldest again and again")(i => if (i < 3 * width) i / 3 else 1),
      of("newest first, then the begin")(i => if (i < size / 3) width - 1 - i % 300 % width else i % 2),
      of("bits reversed")(i => java.lang.Integer.reverse(i) >>> 1 & (Integer.highestOneBit(width) - 1)),
      of("nearer and nearer to the begin")(i => width.toLong * 5 / (i / 40 + 5)),
      of("everything late, but one")(i => if (i == 0) 4L * width else i % (3 * width))
    )
  }

  def sums(width: Int, size: Int, seed: Int): Seq[Stream] = {
    val random = new Random(seed)
    def of(name: String)(at: Int => Element) = Stream(name, (0 until size).map(at))
    Seq(
      of("heavy every other time")(i => Element(i / 3, if (i / 3 % 2 == 0) 1000 else 1)),
      of("values of all sizes")(i =>
        Element(math.max(0, i / 2 - random.nextInt(width)), 1L << random.nextInt(30))
      ),
      of("growing values")(i => Element(random.nextInt(width), i.toLong * i)),
      of("falling values")(i => Element(i.toLong, 1 + (1L << 40) / (i + 1L) / (i + 1))),
      of("zeros too")(i => Element(i.toLong, if (i % 100 < 50) 0 else i.toLong)),
      of("one giant, late")(i =>
        Element(if (i == size / 2) 1 else i % width, if (i == size / 2) 1L << 50 else 3)
      )
    )
  }

  /** Everything that arrived, and what it sums up to from any timestamp on: a binary indexed tree. */
  final class Oracle(horizon: Int) {
    private val tree = new Array[Long](horizon + 2)
    private var newest = Long.MinValue
    private var total = 0L

    def clock: Long = newest

    /** Whether the element is in time for windows of `maxWidth`. */
    def insert(element: Element, maxWidth: Long): Boolean = {
      newest = math.max(newest, element.time)
      var i = element.time.toInt + 1
      while (i < tree.length) {
        tree(i) += element.value
        i += i & -i
      }
      total += element.value
      element.time >= newest - maxWidth
    }

    def since(time: Long): Long = total - before(math.max(0, time))
    def between(from: Long, to: Long): Long = since(from) - since(to + 1)

    private def before(time: Long): Long = {
      var sum = 0L
      var i = math.min(time, tree.length - 1L).toInt
      while (i > 0) {
        sum += tree(i)
        i -= i & -i
      }
      sum
    }
  }
}
