package org.slidewise.core.batch

import java.util.NoSuchElementException
import java.util.function.{IntFunction, ObjIntConsumer}

import org.slidewise.core.{Aggregator, SlidingAggregator}

/**
 * The greedy algorithm SWA: the fewest operator applications for any sequence of windows whose ends never decrease.
 *
 * This is the online form: `insert` moves the right end, `evict` the left end, `query` takes the next window. Nothing is
 * combined before `query`, so an element that leaves before any query saw it is never combined. The offline form is
 * [[GreedySwa.evaluate]].
 *
 * '''Cost.''' For `k` queries that see `n` elements between them: at most `2(n - 1) + k` combines, and a single query at
 * most one fewer than its window has elements. A query with no insert and no evict since the last one combines nothing and
 * does not count in `k`, so `k < 2n`. The bound is that of Two-Stacks, which no run of SWA can exceed since SWA does the
 * fewest combines possible (section 5 of the paper; the proof of its Lemma 4 would give `2n - 1`, which is too low). Space:
 * one partial aggregate and one `Int` for each element of the window, in arrays that double and are at most twice the
 * largest window (16 at least). No garbage of its own.
 *
 * '''Representation.''' The paper keeps a binary tree over the window, in which the root and each right child hold the
 * aggregate of the elements below them, and in which a left child's value is thrown away (function `discharge`). In such
 * a tree each position of the window is the left end of exactly one node that holds a value: the first position, of the
 * root; any other, of the right child that is highest among the nodes that start there. So the tree is two arrays: for
 * each position, the value of that node, and the position past its right end. With `after(p)` for the latter,
 *   - the paper's `reusables`, the largest nodes with values that tile the window after the left end has moved to `l`,
 *     start at `l`, `after(l)`, `after(after(l))` and so on: the walk that `query` makes forwards;
 *   - the paper's `atomics` are the new elements, whose nodes end where they start; they tile the rest, so that the same
 *     walk takes them in;
 *   - the paper's `fold_left` over both, from right to left, gives each start of the walk a node that ends at the window's
 *     right end, and throws away the value that it held: the walk back, with one combine for each start but the last.
 *
 * So the combines are those of the tree, one by one. The walk back needs the walk's starts in reverse; since it
 * overwrites each `after` that the walk forwards has used, the walk forwards leaves the way back in them.
 *
 * '''Invariants''', between calls, for each position `p` from `head` until `tail`:
 *   - (I1) `p < after(p) <= tail`, and `after(q) <= after(p)` for each `q` from `p` until `after(p)`;
 *   - (I2) `partial(p)` is the aggregate of the elements from `p` until `after(p)`;
 *   - (I3) right after `query`, `after(head)` is `tail`;
 *   - (I4) a slot of no position in the window holds no reference.
 *
 * If the operator throws, the exception goes to the caller and this window must not be used again.
 *
 * @see
 *   Basin, Klaedtke, Zălinescu, "Greedily Computing Associative Aggregations on Sliding Windows", sections 2, 4 and 6
 */
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
   *   if the window has fewer; nothing is removed then
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

  /** For tests of (I1) to (I3): where the node that starts at the window's `i`-th element ends, and its value. */
  private[batch] def node(i: Int): (Int, Agg) = (afters(slot(head + i)) - head, partial(head + i))

  /** For tests of (I4) and of the space: how many references are held, and how many could be. */
  private[batch] def held: Int = partials.count(_ != null)
  private[batch] def capacity: Int = partials.length
}

object GreedySwa {

  /**
   * The offline form of SWA: gives `answers` each window's answer with the window's number, in order.
   *
   * Elements that no window covers are not asked for. For `k` windows, no two in a row equal, that cover `n` elements: at
   * most `2(n - 1) + k` combines, `n` lifts, and the space of the widest window; a window equal to the one before it costs
   * nothing. An empty window's answer is the lowered identity.
   *
   * @param elements
   *   the element at a position; asked at most once a position, in order
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
    var end = 0 // the window holds the elements just before this position
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
