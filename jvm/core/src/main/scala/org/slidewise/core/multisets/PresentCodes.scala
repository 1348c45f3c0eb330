package org.slidewise.core.multisets

import java.lang.Long.{numberOfLeadingZeros, numberOfTrailingZeros}

/**
 * Set of codes that finds the next and the previous of a code: a hierarchical bitmap with 64 children a node.
 *
 * Invariants, with the words of level 0 for the codes:
 *   - (B1) bit `c % 64` of word `c / 64` at level 0 is set if the set holds code `c`;
 *   - (B2) bit `w % 64` of word `w / 64` at level `l + 1` is set if word `w` at level `l` is not zero.
 *
 * '''Cost.''' O(log64 u) for each operation, for `u` codes: one word where the neighbour is in the same word, and at most 5.
 * Memory: 64/63 bits a code, and a few words. Not safe for concurrent use. Not
 * final, so that tests count the operations.
 */
private[multisets] class PresentCodes {
  private[this] var levels = Array(new Array[Long](1))

  /** Empties the set, which then takes codes from 0 until `cardinality`. */
  def reset(cardinality: Int): Unit = {
    val depth = PresentCodes.depth(cardinality)
    if (levels.length != depth) {
      val kept = levels
      levels = Array.tabulate(depth)(level => if (level < kept.length) kept(level) else Array.emptyLongArray)
    }
    var level = 0
    var words = cardinality
    while (level < depth) {
      words = math.max(1, words + 63 >>> 6)
      if (levels(level).length < words) levels(level) = new Array[Long](words)
      else java.util.Arrays.fill(levels(level), 0, words, 0L)
      level += 1
    }
  }

  /** Adds a code that is not in the set. */
  def add(code: Int): Unit = {
    val levels = this.levels
    var level = 0
    var at = code
    var wasEmpty = true
    while (wasEmpty && level < levels.length) {
      val words = levels(level)
      val word = words(at >>> 6)
      words(at >>> 6) = word | 1L << at
      wasEmpty = word == 0L
      at >>>= 6
      level += 1
    }
  }

  /** Removes a code that is in the set. */
  def remove(code: Int): Unit = {
    val levels = this.levels
    var level = 0
    var at = code
    var isEmpty = true
    while (isEmpty && level < levels.length) {
      val words = levels(level)
      val word = words(at >>> 6) & ~(1L << at)
      words(at >>> 6) = word
      isEmpty = word == 0L
      at >>>= 6
      level += 1
    }
  }

  /** The least code in the set that is greater than `code`; there must be one. */
  def next(code: Int): Int = {
    val levels = this.levels
    var level = 0
    var at = code
    var rest = levels(0)(at >>> 6) & -2L << at
    while (rest == 0L) {
      level += 1
      at >>>= 6
      rest = levels(level)(at >>> 6) & -2L << at
    }
    at = (at & ~63) + numberOfTrailingZeros(rest)
    while (level > 0) {
      level -= 1
      at = (at << 6) + numberOfTrailingZeros(levels(level)(at))
    }
    at
  }

  /** The greatest code in the set that is less than `code`; there must be one. */
  def previous(code: Int): Int = {
    val levels = this.levels
    var level = 0
    var at = code
    var rest = levels(0)(at >>> 6) & (1L << at) - 1
    while (rest == 0L) {
      level += 1
      at >>>= 6
      rest = levels(level)(at >>> 6) & (1L << at) - 1
    }
    at = (at & ~63) + 63 - numberOfLeadingZeros(rest)
    while (level > 0) {
      level -= 1
      at = (at << 6) + 63 - numberOfLeadingZeros(levels(level)(at))
    }
    at
  }
}

private[multisets] object PresentCodes {

  /** The number of levels for this many codes, of which the highest has one word. */
  def depth(cardinality: Int): Int = {
    var depth = 1
    while (cardinality.toLong > (1L << 6 * depth)) depth += 1
    depth
  }
}
