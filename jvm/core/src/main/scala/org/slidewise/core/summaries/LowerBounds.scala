package org.slidewise.core.summaries

/**
 * Lower bounds on the bits of a deterministic summary with an additive error. (By Yao's principle, a randomised summary that is
 * always right needs as many on average, and one that errs with a fixed probability needs the same order.)
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", sections 3.1 and 4.1
 */
object LowerBounds {

  /**
   * Bits to count the ones of the last W bits to within ε W: the greater of
   *   - ⌊W / z⌋ with z = ⌊2 ε W⌋ + 1 (Lemma 3). Consider the words of blocks of z bits, each all ones or all zeros. Suppose two
   *     words lead to the same state. Append zeros until the window begins with the last block in which they differ: the counts
   *     differ by z > 2 ε W, but the estimates are equal.
   *   - ⌈log,,2,,(⌈W (1 - 2 ε)⌉ + 1)⌉ (Lemma 4). Consider the states after W zeros and i ones. If those for i < j are equal, then
   *     so are those for i + n (j - i) ones for all n, which include windows of all ones. The same estimate is within ε W of W
   *     and of i, so i ≥ W (1 - 2 ε). Hence the states for all smaller i, and the next one, differ.
   */
  def count(window: Long, epsilon: Double): Long = {
    val blocks = window / (math.floor(2 * epsilon * window).toLong + 1)
    val ones = math.max(0L, math.ceil(window * (1 - 2 * epsilon)).toLong)
    math.max(blocks, Arguments.width(ones).toLong)
  }

  /**
   * Bits to sum the last W values of 0 … R to within ε R W: the greater of
   *   - the bits of a count, since R times a bit is a value (Lemma 11);
   *   - ⌊W log,,2,,(⌊R / (⌊2 ε R W⌋ + 1)⌋ + 1)⌋ (Lemma 12), by words over the multiples of z = ⌊2 ε R W⌋ + 1, distinguished as
   *     above.
   */
  def sum(window: Long, upperBound: Long, epsilon: Double): Long = {
    val letters = upperBound / (math.floor(2 * epsilon * window * upperBound).toLong + 1) + 1
    math.max(count(window, epsilon), math.floor(window * math.log(letters.toDouble) / math.log(2)).toLong)
  }
}
