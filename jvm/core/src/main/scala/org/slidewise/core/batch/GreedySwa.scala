package org.slidewise.core.batch

import java.util.NoSuchElementException
import java.util.function.{IntFunction, ObjIntConsumer}

import org.slidewise.core.Evolving
import org.slidewise.core.{Aggregator, SlidingAggregator}

/**
 * The greedy algorithm SWA: the fewest operator applications for any sequence of windows whose ends never decrease.
 *
 * This class is the online form: `insert` moves the right end, `evict` the left end, and `query` aggregates the next window.
 * Only `query` combines, so that an element that leaves before the next query is never combined. The offline form is
 * [[GreedySwa.evaluate]].
 *
 * '''Cost.''' For `k` queries over `n` elements in total: at most `2(n - 1) + k` combines. A single query makes fewer combines
 * than its window has elements. A query without an insert or evict since the last one combines nothing and does not count in
 * `k`, so `k < 2n`. The bound is that of Two-Stacks, which SWA cannot exceed because it makes the fewest combines (section 5 of
 * the paper; the `2n - 1` that follows from the proof of its Lemma 4 is too low). Memory: one partial aggregate and one `Int`
 * for each element of the window, in arrays of at most twice the largest window (at least 16). Allocates nothing else. Not safe
 * for concurrent use.
 *
 * '''Representation.''' The paper keeps a binary tree over the window. The root and each right child hold the aggregate of
 * their elements, and the value of a left child is discarded (function `discharge`). In such a tree each position is the left
 * end of exactly one node with a value: the first position, of the root; any other, of the highest right child that starts
 * there. Two arrays therefore represent the tree: for each position the value of that node, and the position after its right
 * end, here `after(p)`.
 *   - The paper's `reusables` are the largest nodes with values that tile the window after the left end has moved to `l`. They
 *     start at `l`, `after(l)`, `after(after(l))` and so on: the forward walk of `query`.
 *   - The paper's `atomics` are the nodes of single new elements. They tile the rest, and the same walk visits them.
 *   - The paper's `fold_left` over both, from right to left, replaces the node of each start by one that ends at the window's
 *     right end: the backward walk, with one combine for each start but the last.
 *
 * The combines are those of the tree. The backward walk needs the starts in reverse order and overwrites their `after`. The
 * forward walk therefore stores the way back there.
 *
 * '''Invariants''', between calls, for each position `p` from `head` until `tail`:
 *   - (I1) `p < after(p) <= tail`, and `after(q) <= after(p)` for each `q` from `p` until `after(p)`;
 *   - (I2) `partial(p)` is the aggregate of the elements from `p` until `after(p)`;
 *   - (I3) right after `query`, `after(head)` is `tail`;
 *   - (I4) a slot of no position in the window holds no reference.
 *
 * If the operator throws, the caller receives the exception and must not use the window again.
 *
 * @see
 *   Basin, Klaedtke, Zălinescu, "Greedily Computing Associative Aggregations on Sliding Windows", sections 2, 4 and 6
 */
@Evolving
final class GreedySwa[In, Agg, Out](operator: Aggregator[In, Agg, Out]) extends SlidingAggregator[In, Out] {

  private var partials = new Array[AnyRef](16)
  private var afters = new Array[Int](16)

  // Positions count all inserts and may wrap around: they are compared for equality and subtracted, never ordered.
  private var head = 0
  private var tail = 0

  def size: Int = tail - head

  def insert(in: In): Unit = {
    if (size == partials.length) grow()
    val at = slot(tail)
    partials(at) = operator.lift(in).asInstanceOf[AnyRef]
    tail += 1
    afters(at) = tail // (I1), (I2): one element
  }

  def evict(): Unit = {
    if (head == tail)
      throw new NoSuchElementException("evict on an empty window: insert first, or ask for its size")
    partials(slot(head)) = null // (I4)
    head += 1
  }

  /**
   * Removes the oldest `count` elements, without a combine.
   *
   * @throws java.util.NoSuchElementException
   *   if the window has fewer elements; the window is then unchanged
   * @throws java.lang.IllegalArgumentException
   *   if `count` is negative
   */
  def evict(count: Int): Unit = {
    require(count >= 0, s"count must not be negative, but is $count")
    if (count > size)
      throw new NoSuchElementException(
        s"evict of $count elements from a window of $size: ask for its size first"
      )
    val until = head + count
    while (head != until) evict()
  }

  def query(): Out = operator.lower(if (head == tail) operator.identity else total())

  private def total(): Agg = {
    var at = head
    var previous = head
    var next = afters(slot(at))
    while (next != tail) {
      afters(slot(at)) = previous
      previous = at
      at = next
      next = afters(slot(at))
    }
    var total = partial(at)
    while (at != head) {
      at = previous
      previous = afters(slot(at))
      total = operator.combine(partial(at), total)
      partials(slot(at)) = total.asInstanceOf[AnyRef] // (I2)
      afters(slot(at)) = tail // (I1), (I3)
    }
    total
  }

  private def slot(position: Int): Int = position & (partials.length - 1)

  private def partial(position: Int): Agg = partials(slot(position)).asInstanceOf[Agg]

  private def grow(): Unit = {
    val widerPartials = new Array[AnyRef](partials.length * 2)
    val widerAfters = new Array[Int](partials.length * 2)
    var p = head
    while (p != tail) {
      val into = p & (widerPartials.length - 1)
      widerPartials(into) = partials(slot(p))
      widerAfters(into) = afters(slot(p))
      p += 1
    }
    partials = widerPartials
    afters = widerAfters
  }

  /** For tests of (I1) to (I3): the end and the value of the node that starts at the window's `i`-th element. */
  private[batch] def node(i: Int): (Int, Agg) = (afters(slot(head + i)) - head, partial(head + i))

  /** For tests of (I4) and of the memory: the number of references held, and the capacity. */
  private[batch] def held: Int = partials.count(_ != null)
  private[batch] def capacity: Int = partials.length
}

object GreedySwa {

  /**
   * The offline form of SWA: passes each window's result and index to `answers`, in order.
   *
   * Reads no elements outside of the windows. For `k` windows over `n` elements: at most `2(n - 1) + k` combines, `n` lifts, and
   * the memory of the widest window. A window equal to the previous one costs nothing and does not count in `k`. The result of
   * an empty window is the lowered identity.
   *
   * @param elements
   *   returns the element at a position; called at most once for each position, in order
   * @see
   *   Basin, Klaedtke, Zălinescu, section 2, function `sliding_window`
   */
  def evaluate[In, Agg, Out](
      operator: Aggregator[In, Agg, Out],
      elements: IntFunction[_ <: In],
      frames: Frames,
      answers: ObjIntConsumer[_ >: Out]
  ): Unit = {
    val window = new GreedySwa(operator)
    var end = 0 // the position after the window's newest element
    var k = 0
    while (k < frames.count) {
      val lo = frames.lo(k)
      val hi = frames.hi(k)
      window.evict(math.min(window.size, lo - (end - window.size)))
      end = math.max(end, lo)
      while (end < hi) {
        window.insert(elements(end))
        end += 1
      }
      answers.accept(window.query(), k)
      k += 1
    }
  }
}
