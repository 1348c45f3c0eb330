package org.slidewise.core.multisets

import org.slidewise.core.batch.Frames

/**
 * Sums the distinct doubles of each frame: SQL's `sum(DISTINCT column)`.
 *
 * Nothing is subtracted, so that no rounding error outlives its frame, and NaN and infinities leave with their values. A complete
 * binary tree has a leaf for each code. Invariants after each step, with the root at 1 and the children of node `i` at `2i` and
 * `2i + 1`:
 *   - (T1) the leaf of a code holds its value if the code is in the frame, and otherwise 0.0;
 *   - (T2) each inner node holds the sum of its children.
 *
 * A sum rounds at most log2(u) times on the way from a leaf to the root, for `u` codes. Codes in the order of first occurrence keep
 * the leaves of a frame together, and so their nodes in the processor's cache.
 *
 * '''Cost.''' Constant time for each frame and for each row that enters or leaves, and O(log u) where a code appears in the frame
 * or disappears. Memory: [[DistinctDoubleSums.BytesARow]] for each code of the largest column, kept for the next column. Not safe
 * for concurrent use.
 */
final class DistinctDoubleSums extends DistinctMultiset {
  private[this] var tree = Array.emptyDoubleArray
  private[this] var leaves = 0
  private[this] var values: Array[Long] = _
  private[this] var out: Array[Double] = _

  /**
   * Writes the sum of the distinct values of each frame into `out`: 0.0 for a frame without values.
   *
   * @param dictionary
   *   the dictionary of the column, encoded by [[OrderedDoubles]]
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def frames(dictionary: ColumnDictionary, frames: Frames, out: Array[Double]): Unit = {
    SlidingMultiset.checkOut(out.length, frames)
    clearCounts(dictionary.cardinality)
    leaves = SlidingMultiset.powerOfTwo(math.max(1, dictionary.cardinality))
    if (tree.length < 2 * leaves) {
      tree = Array.emptyDoubleArray
      tree = new Array[Double](2 * leaves)
    } else java.util.Arrays.fill(tree, 0, 2 * leaves, 0.0)
    this.values = dictionary.values
    this.out = out
    try slide(dictionary.codes, frames)
    finally {
      this.values = null
      this.out = null
    }
  }

  private[multisets] def appear(code: Int): Unit = set(code, OrderedDoubles.toDouble(values(code)))
  private[multisets] def disappear(code: Int): Unit = set(code, 0.0)

  private def set(code: Int, value: Double): Unit = {
    val tree = this.tree
    var node = leaves + code
    var sum = value
    tree(node) = sum
    while (node > 1) {
      sum += tree(node ^ 1)
      node >>>= 1
      tree(node) = sum
    }
  }

  private[multisets] def write(k: Int): Unit = out(k) = tree(1)
}

object DistinctDoubleSums {

  /** The most bytes for each row of the longest column: one count, and fewer than four nodes. */
  final val BytesARow: Long = 4 + 4 * 8
}
