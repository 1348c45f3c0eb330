package org.slidewise.bench

import java.util.Locale
import org.slidewise.core.{Algorithm, QueueAlgorithm}

/** The algorithms by keys that a command line takes without quotes: `daba-lite`, `two-stacks-lite-chunked`. */
object Algorithms {

  private val byKeys: Map[String, Algorithm] = Algorithm.all.map(a => key(a) -> a).toMap

  /**
   * @throws java.lang.IllegalArgumentException
   *   if there is no algorithm of that key
   */
  def byKey(key: String): Algorithm =
    byKeys.getOrElse(
      key,
      throw new IllegalArgumentException(
        s"algorithm is $key: it must be one of ${byKeys.keys.toSeq.sorted.mkString(", ")}"
      )
    )

  /** With room for `elements` from the start, if it can be had. */
  def byKey(key: String, elements: Int): Algorithm = byKey(key) match {
    case queue: QueueAlgorithm if !key.endsWith("-chunked") => queue.sized(elements)
    case other                                              => other
  }

  private def key(algorithm: Algorithm): String =
    algorithm.name.toLowerCase(Locale.ROOT).replace(", ", "-").replace(' ', '-')
}
