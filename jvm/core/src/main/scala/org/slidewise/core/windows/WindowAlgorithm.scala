package org.slidewise.core.windows

import org.slidewise.core.Stable
import org.slidewise.core._
import org.slidewise.core.algorithms._
import org.slidewise.core.state.{ChunkedStates, RingStates, States}

/**
 * Sliding-window algorithm: creates windows for any associative operator.
 *
 * `docs/algorithms.md` compares the algorithms; each algorithm's class states its costs. Thread-safe, unlike its windows.
 */
@Stable
sealed abstract class WindowAlgorithm(val name: String) {

  private[core] def on[S](operator: InPlaceAggregator[S, _, _]): SlotAlgorithm[S]

  /** Creates an empty window over objects. */
  def window[In, Agg, Out](aggregator: Aggregator[In, Agg, Out]): Window[_, In, Out] =
    window(ObjectAggregator.of(aggregator))

  /** Creates an empty window whose states are in arrays. */
  def window[S, In, Out](operator: InPlaceAggregator[S, In, Out]): Window[S, In, Out] =
    new Window(operator, on(operator))

  /** Creates an empty window over doubles, without boxing. */
  def window(operator: DoubleAggregator): DoubleWindow = new DoubleWindow(operator, on(operator))

  /** Creates an empty window over longs, without boxing. */
  def window(operator: LongAggregator): LongWindow = new LongWindow(operator, on(operator))

  override def toString: String = name
}

/** Algorithm over a double-ended queue, stored in a ring or, if [[chunked]], in chunks. */
final class QueueAlgorithm private[core] (
    name: String,
    lanes: Int,
    make: QueueAlgorithm.Maker,
    inChunks: Boolean = false,
    capacity: Int = RingStates.MinCapacity
) extends WindowAlgorithm(if (inChunks) s"$name, chunked" else name) {

  /** The same algorithm over chunks: growing copies no state, and each access costs one more indirection. */
  def chunked: WindowAlgorithm = new QueueAlgorithm(name, lanes, make, inChunks = true)

  /**
   * The same algorithm over a ring with initial room for `elements`. A window that never holds more moves no state, and runs
   * faster.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `elements` is not from 1 to 2^30^
   */
  def sized(elements: Int): WindowAlgorithm = {
    if (elements < 1 || elements > (1 << 30))
      throw new IllegalArgumentException(s"elements is $elements: it must be from 1 to ${1 << 30}")
    val power = Integer.highestOneBit(2 * elements - 1)
    new QueueAlgorithm(name, lanes, make, capacity = math.max(power, RingStates.MinCapacity))
  }

  private[core] override def on[S](operator: InPlaceAggregator[S, _, _]): SlotAlgorithm[S] =
    make(
      if (inChunks) new ChunkedStates[S](operator, lanes) else RingStates.of(operator, lanes, capacity)
    )
}

/** FiBA, which also creates windows for elements that arrive out of order. */
final class FibaAlgorithm private[core] extends WindowAlgorithm("FiBA") {

  /** Creates an empty window for elements with times, in any order of times. */
  def timedWindow[In, Agg, Out](aggregator: Aggregator[In, Agg, Out]): TimedWindow[_, In, Out] =
    timedWindow(ObjectAggregator.of(aggregator))

  /** Creates an empty window for elements with times, in any order of times. */
  def timedWindow[S, In, Out](operator: InPlaceAggregator[S, In, Out]): TimedWindow[S, In, Out] =
    new TimedWindow(operator, on(operator))

  private[core] override def on[S](operator: InPlaceAggregator[S, _, _]): Fiba[S] =
    new Fiba(RingStates.of(operator, 1))
}

/** Subtract-on-evict. Has `window` methods for invertible operators only. */
final class SubtractOnEvictAlgorithm private[core] {

  def window[In, Agg, Out](aggregator: InvertibleAggregator[In, Agg, Out]): Window[_, In, Out] = {
    val operator = ObjectAggregator.invertible(aggregator)
    new Window(operator, on(operator, operator))
  }

  def window(operator: InvertibleDoubleAggregator): DoubleWindow =
    new DoubleWindow(operator, on(operator, operator))

  def window(operator: InvertibleLongAggregator): LongWindow =
    new LongWindow(operator, on(operator, operator))

  private def on[S](operator: InPlaceAggregator[S, _, _], inverse: Invertible[S]): SlotAlgorithm[S] =
    new SubtractOnEvict(RingStates.of(operator, 1), inverse)
}

private object QueueAlgorithm {
  trait Maker {
    def apply[S](states: States[S]): SlotAlgorithm[S]
  }
}

object WindowAlgorithm {
  import QueueAlgorithm.Maker

  val recalculation: QueueAlgorithm = new QueueAlgorithm(
    "Recalculation",
    1,
    new Maker { def apply[S](states: States[S]): SlotAlgorithm[S] = new RecalculateFromScratch(states) }
  )

  val twoStacks: QueueAlgorithm = new QueueAlgorithm(
    "Two-Stacks",
    2,
    new Maker { def apply[S](states: States[S]): SlotAlgorithm[S] = new TwoStacks(states) }
  )

  val twoStacksLite: QueueAlgorithm = new QueueAlgorithm(
    "Two-Stacks Lite",
    1,
    new Maker { def apply[S](states: States[S]): SlotAlgorithm[S] = new TwoStacksLite(states) }
  )

  val daba: QueueAlgorithm = new QueueAlgorithm(
    "DABA",
    2,
    new Maker { def apply[S](states: States[S]): SlotAlgorithm[S] = new Daba(states) }
  )

  val dabaLite: QueueAlgorithm = new QueueAlgorithm(
    "DABA Lite",
    1,
    new Maker { def apply[S](states: States[S]): SlotAlgorithm[S] = new DabaLite(states) }
  )

  val flatFat: WindowAlgorithm = new WindowAlgorithm("FlatFAT") {
    private[core] override def on[S](operator: InPlaceAggregator[S, _, _]): SlotAlgorithm[S] =
      new FlatFat(RingStates.of(operator, 2))
  }

  val flatFit: WindowAlgorithm = new WindowAlgorithm("FlatFIT") {
    private[core] override def on[S](operator: InPlaceAggregator[S, _, _]): SlotAlgorithm[S] =
      new FlatFit(RingStates.of(operator, 1))
  }

  val fiba: FibaAlgorithm = new FibaAlgorithm

  val subtractOnEvict: SubtractOnEvictAlgorithm = new SubtractOnEvictAlgorithm

  /** Every algorithm for arbitrary operators: all but subtract-on-evict. */
  val all: Seq[WindowAlgorithm] = {
    val queues = Seq(recalculation, twoStacks, twoStacksLite, daba, dabaLite)
    queues ++ queues.map(_.chunked) ++ Seq(flatFat, flatFit, fiba)
  }
}
