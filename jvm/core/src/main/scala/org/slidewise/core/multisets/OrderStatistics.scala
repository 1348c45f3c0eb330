package org.slidewise.core.multisets

/**
 * Multiset of codes with cursors that select the element of a rank: a finger into an array of counts.
 *
 * A cursor stays where it selected last, and each element that enters or leaves below it changes its rank by one. A quantile's
 * rank in a sliding frame moves by at most one for each such element, too. So a cursor that follows a quantile passes O(1)
 * distinct codes, amortised, for each row that enters or leaves; a search tree or a skip list takes O(log u) instead, and so does
 * the merge sort tree of Vogelsgesang et al. (see [[SlidingMultiset]]). A select passes as many distinct codes of the multiset as
 * lie between the last rank and the new one, which a rank that jumps makes up to `u`.
 *
 * '''Cost.''' `add` and `remove` take constant time for each cursor, and O(log64 u) where a code appears or disappears; each
 * distinct code that `select` passes takes O(log64 u), and mostly one word. Memory: [[OrderStatistics.BytesARow]] for each code,
 * kept between resets. Not safe for concurrent use.
 *
 * Invariants:
 *   - (O1) `present` holds the codes with a count above zero;
 *   - (O2) `below` of each cursor is the number of elements with a lower code than the cursor's, whether or not the multiset has
 *     the cursor's code.
 */
final class OrderStatistics private[multisets] (present: PresentCodes) {

  def this() = this(new PresentCodes)

  private[this] var counts = Array.emptyIntArray
  private[this] var cursors = new Array[OrderStatistics.Cursor](0)
  private[this] var elements = 0L

  /** Empties the multiset, which then takes codes from 0 until `cardinality`. Cursors from before must not be used any more. */
  def reset(cardinality: Int): Unit = {
    counts = SlidingMultiset.zeros(counts, cardinality)
    present.reset(cardinality)
    cursors = new Array[OrderStatistics.Cursor](0)
    elements = 0L
  }

  /** The number of elements. */
  def size: Long = elements

  /** Creates a cursor, which each later `add` and `remove` updates. Constant time if the multiset is empty. */
  def cursor(): OrderStatistics.Cursor = {
    val cursor = new OrderStatistics.Cursor(counts, present)
    cursors = java.util.Arrays.copyOf(cursors, cursors.length + 1)
    cursors(cursors.length - 1) = cursor
    cursor
  }

  def add(code: Int): Unit = {
    val counts = this.counts
    val before = counts(code)
    counts(code) = before + 1
    if (before == 0) present.add(code)
    elements += 1
    val cursors = this.cursors
    var i = 0
    while (i < cursors.length) {
      cursors(i).shift(code, 1)
      i += 1
    }
  }

  /** Removes one of the elements `code`, of which there must be one. */
  def remove(code: Int): Unit = {
    val counts = this.counts
    val after = counts(code) - 1
    counts(code) = after
    if (after == 0) present.remove(code)
    elements -= 1
    val cursors = this.cursors
    var i = 0
    while (i < cursors.length) {
      cursors(i).shift(code, -1)
      i += 1
    }
  }
}

object OrderStatistics {

  /** The most bytes for each row of the longest column: one count, and the bits of a code. */
  final val BytesARow: Long = 4 + 1

  /** Position in the multiset. Starts at the lowest code. */
  final class Cursor private[multisets] (counts: Array[Int], present: PresentCodes) {
    private[this] var code = 0
    private[this] var below = 0L

    // Without a branch: on random codes the processor could not predict it.
    private[multisets] def shift(changed: Int, by: Int): Unit = below += by & changed - code >> 31

    /**
     * Moves to the element that `rank` others precede in the order of codes, and returns its code.
     *
     * @param rank
     *   from 0 until the size of the multiset; others are not checked, and give an arbitrary result or an exception
     */
    def select(rank: Long): Int = {
      val counts = this.counts
      var at = code
      var before = below
      while (rank < before) {
        at = present.previous(at)
        before -= counts(at)
      }
      var after = before + counts(at)
      while (rank >= after) {
        at = present.next(at)
        before = after
        after += counts(at)
      }
      code = at
      below = before
      at
    }

    /** The code of the element with the rank after the last selected one, `rank`. Does not move. */
    def after(rank: Long): Int = if (rank < below + counts(code)) code else present.next(code)
  }
}
