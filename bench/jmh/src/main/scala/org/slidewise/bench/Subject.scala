package org.slidewise.bench

import org.slidewise.core.operators.{Bloom, Operators}
import org.slidewise.core.SlidingAggregator
import org.slidewise.core.windows.{DoubleWindow, LongWindow, StateReader}

/**
 * A window under test, which takes whole numbers and answers with a number, whatever its operator. A process has only one
 * class of it, so that the calls are compiled as if it were not there.
 */
sealed abstract class Subject(window: SlidingAggregator[_, _]) {
  def insert(i: Long): Unit
  def evict(): Unit
  def query(): Double

  final def size: Int = window.size
  final def evict(count: Int): Unit = window.evict(count)
}

object Subject {

  /**
   * The three operators of the paper's experiments: `sum`, `geomean`, and `bloom` with 4,096 bits and 4 hashes.
   *
   * @throws java.lang.IllegalArgumentException
   *   if there is no such operator or algorithm
   */
  def apply(operator: String, algorithm: String, elements: Int): Subject = operator match {
    case "sum"     => new OfDoubles(Algorithms.window(algorithm, elements, Operators.sum))
    case "geomean" => new OfDoubles(Algorithms.window(algorithm, elements, Operators.geometricMean))
    case "bloom"   => new OfFilters(algorithm, elements, new Bloom(4096, 4))
    case other     =>
      throw new IllegalArgumentException(s"operator is $other: it must be sum, geomean or bloom")
  }

  private final class OfDoubles(window: DoubleWindow) extends Subject(window) {
    // Counted here, as the instruction that converts a whole number waits for what was last in its register, and so may each
    // round for the one before.
    private[this] var input = 0.0
    override def insert(i: Long): Unit = {
      input += 1.0
      window.insert(input)
    }
    override def evict(): Unit = window.evict()
    override def query(): Double = window.query()
  }

  /** Looks for one element in the answer, so that the time is that of the window and not that of counting bits. */
  private final class OfFilters(window: LongWindow, bloom: Bloom) extends Subject(window) {
    def this(algorithm: String, elements: Int, bloom: Bloom) =
      this(Algorithms.window(algorithm, elements, bloom), bloom)

    private[this] val search: StateReader[Array[Long], Boolean] =
      (cells, at) => bloom.mightContain(0, cells, at)
    override def insert(i: Long): Unit = window.insert(i)
    override def evict(): Unit = window.evict()
    override def query(): Double = if (window.query(search)) 1 else 0
  }
}
