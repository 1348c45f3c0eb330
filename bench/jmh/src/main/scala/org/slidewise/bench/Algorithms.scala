package org.slidewise.bench

import java.util.Locale
import org.slidewise.core.windows.{DoubleWindow, LongWindow, QueueAlgorithm, WindowAlgorithm}
import org.slidewise.core.{InvertibleDoubleAggregator, LongAggregator}

/**
 * The algorithms by keys that a command line takes without quotes: `daba-lite`, `two-stacks-lite-chunked`,
 * `daba-lite-sized` (with room for its window from the start) and, for sums and means, `subtract-on-evict`.
 */
object Algorithms {

  private final val Sized = "-sized"
  private val byKeys: Map[String, WindowAlgorithm] = WindowAlgorithm.all.map(a => key(a) -> a).toMap

  /**
   * An empty window over doubles, which is to hold `elements`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if there is no algorithm of that key
   */
  def window(key: String, elements: Int, operator: InvertibleDoubleAggregator): DoubleWindow =
    if (key == "subtract-on-evict") WindowAlgorithm.subtractOnEvict.window(operator)
    else byKey(key, elements).window(operator)

  /** As above, over longs. */
  def window(key: String, elements: Int, operator: LongAggregator): LongWindow =
    byKey(key, elements).window(operator)

  /** The algorithm of that key. */
  def byKey(key: String, elements: Int): WindowAlgorithm =
    byKeys.get(key.stripSuffix(Sized)) match {
      case Some(queue: QueueAlgorithm) if key.endsWith(Sized) => queue.sized(elements)
      case Some(algorithm) if !key.endsWith(Sized)            => algorithm
      case _                                                  =>
        throw new IllegalArgumentException(
          s"algorithm is $key: it must be subtract-on-evict (for sum and geomean) or one of " +
            byKeys.keys.toSeq.sorted.mkString(", ")
        )
    }

  private def key(algorithm: WindowAlgorithm): String =
    algorithm.name.toLowerCase(Locale.ROOT).replace(", ", "-").replace(' ', '-')
}
