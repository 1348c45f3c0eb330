package org.slidewise.core.multisets

import org.slidewise.core.batch.Frames

/**
 * Finds the most frequent code of each frame: SQL's `mode`.
 *
 * A tournament tree over the counts of the codes. Invariant, with the root at 1 and the children of node `i` at `2i` and
 * `2i + 1`: (M1) each inner node holds the code with the greatest count below it, and of several the first in the order of ties,
 * if one of these counts is not zero; otherwise, it holds one of the codes below it.
 *
 * '''Cost.''' A count that rises changes the nodes from its leaf up to the first where another code wins; a count that falls,
 * up to the first where another code won before. So a row that enters or leaves takes O(log u) at most, for `u` codes, and
 * O(1) where its code is rare. Memory: [[Modes.BytesARow]] for each code of the largest column, kept for the next column. Not
 * safe for concurrent use.
 */
final class Modes extends SlidingMultiset {
  private[this] var counts = Array.emptyIntArray // one for each leaf
  private[this] var winners = Array.emptyIntArray
  private[this] var leaves = 0
  private[this] var smallest = true
  private[this] var out: Array[Int] = _

  /**
   * Writes the most frequent code of each frame into `out`; -1 for a frame without values.
   *
   * @param codes
   *   the code of each row, from 0 until `cardinality`; negative for a null row
   * @param smallest
   *   whether the smallest of equally frequent codes is found; otherwise the greatest
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def frames(
      codes: Array[Int],
      cardinality: Int,
      frames: Frames,
      smallest: Boolean,
      out: Array[Int]
  ): Unit = {
    SlidingMultiset.checkOut(out.length, frames)
    clear(cardinality)
    this.smallest = smallest
    this.out = out
    try slide(codes, frames)
    finally this.out = null
  }

  private def clear(cardinality: Int): Unit = {
    leaves = SlidingMultiset.powerOfTwo(math.max(2, cardinality))
    counts = SlidingMultiset.zeros(counts, leaves)
    if (winners.length < leaves) winners = new Array[Int](leaves)
    var node = leaves - 1
    while (node >= 1) {
      winners(node) = if (2 * node >= leaves) 2 * node - leaves else winners(2 * node)
      node -= 1
    }
  }

  private[multisets] def add(code: Int): Unit = {
    val counts = this.counts
    val winners = this.winners
    counts(code) += 1
    var node = leaves + code >>> 1
    var rival = code ^ 1 // the winner of the other child of the node
    while (node > 0 && beats(counts, code, rival)) {
      winners(node) = code
      rival = winners(node ^ 1)
      node >>>= 1
    }
  }

  private[multisets] def remove(code: Int): Unit = {
    val counts = this.counts
    val winners = this.winners
    counts(code) -= 1
    var node = leaves + code >>> 1
    var best = code
    var rival = code ^ 1
    while (node > 0 && winners(node) == code) {
      if (!beats(counts, best, rival)) best = rival
      winners(node) = best
      rival = winners(node ^ 1)
      node >>>= 1
    }
  }

  private def beats(counts: Array[Int], code: Int, rival: Int): Boolean = {
    val more = counts(code) - counts(rival)
    more > 0 || more == 0 && code < rival == smallest
  }

  private[multisets] def write(k: Int): Unit = {
    val winner = winners(1)
    out(k) = if (counts(winner) == 0) -1 else winner
  }
}

object Modes {

  /** The most bytes for each row of the longest column: fewer than two leaves and two inner nodes. */
  final val BytesARow: Long = 2 * 4 + 2 * 4
}
