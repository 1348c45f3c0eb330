package org.slidewise.core.multisets

/** Decides which of two equally frequent codes is the mode. Must be a strict total order of the codes in use. */
abstract class TieOrder {
  def precedes(a: Int, b: Int): Boolean
}

object TieOrder {

  /** The smaller code. */
  object Smallest extends TieOrder {
    def precedes(a: Int, b: Int): Boolean = a < b
  }

  /** The greater code. */
  object Greatest extends TieOrder {
    def precedes(a: Int, b: Int): Boolean = a > b
  }
}

/**
 * Finds the most frequent code of a multiset to which codes are added and from which they are removed.
 *
 * A tournament tree over the counts of the codes. Invariant, with the root at 1 and the children of node `i` at `2i` and
 * `2i + 1`: (M1) each inner node holds the code with the greatest count below it, and of several the first in the order of ties,
 * if one of these counts is not zero; otherwise, it holds one of the codes below it. Codes with a count of zero are not compared,
 * so that they may come to mean other values.
 *
 * '''Cost.''' A count that rises changes the nodes from its leaf up to the first where another code wins; a count that falls,
 * up to the first where another code won before: O(log u) at most, for `u` codes, and O(1) where the code is rare. The room
 * doubles with the greatest code. Memory: [[Modes.BytesARow]] for each code. Not safe for concurrent use.
 */
final class ModeTournament {
  private[this] var ties: TieOrder = TieOrder.Smallest
  private[this] var counts = Array.emptyIntArray // one for each leaf
  private[this] var winners = Array.emptyIntArray
  private[this] var leaves = 0

  reset(2, TieOrder.Smallest)

  /** Empties the multiset, and makes room for codes from 0 until `cardinality`. */
  def reset(cardinality: Int, ties: TieOrder): Unit = {
    this.ties = ties
    leaves = SlidingMultiset.powerOfTwo(math.max(2, cardinality))
    counts = SlidingMultiset.zeros(counts, leaves)
    if (winners.length < leaves) winners = new Array[Int](leaves)
    build()
  }

  private def build(): Unit = {
    var node = leaves - 1
    while (node >= 1) {
      val first = if (2 * node >= leaves) 2 * node - leaves else winners(2 * node)
      val second = if (2 * node >= leaves) 2 * node - leaves + 1 else winners(2 * node + 1)
      winners(node) = if (beats(counts, second, first)) second else first
      node -= 1
    }
  }

  private def grow(code: Int): Unit = {
    val known = leaves
    leaves = SlidingMultiset.powerOfTwo(code + 1)
    // Beyond the codes known, there may be counts from before the last reset.
    counts = java.util.Arrays.copyOf(java.util.Arrays.copyOf(counts, known), leaves)
    winners = new Array[Int](leaves)
    build()
  }

  def add(code: Int): Unit = {
    if (code >= leaves) grow(code)
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

  /** Removes one of the elements `code`, of which there must be one. */
  def remove(code: Int): Unit = {
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

  /** The most frequent code; -1 if the multiset is empty. */
  def winner: Int = {
    val code = winners(1)
    if (counts(code) == 0) -1 else code
  }

  private def beats(counts: Array[Int], code: Int, rival: Int): Boolean = {
    val count = counts(code)
    val more = count - counts(rival)
    more > 0 || more == 0 && count > 0 && ties.precedes(code, rival)
  }
}
