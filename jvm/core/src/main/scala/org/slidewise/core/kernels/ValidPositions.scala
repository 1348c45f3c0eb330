package org.slidewise.core.kernels

import java.lang.Long.numberOfTrailingZeros

/**
 * Finds the n-th value of any range of rows in constant time, and skips nulls. Holds the row of each value. Built in one pass.
 *
 * Memory: an `Int` for each value and one for each 64 rows; none if `valid` is null.
 *
 * @param valid
 *   the bits of the rows that hold a value, see [[Validity]]
 */
final class ValidPositions(valid: Array[Long], size: Int) {
  private[this] val counts = new ValidCounts(valid, size)
  private[this] val positions: Array[Int] =
    if (valid == null) null else new Array[Int](counts.between(0, size))

  if (valid != null) {
    var found = 0
    var word = 0
    while (found < positions.length) {
      var bits = valid(word)
      while (bits != 0L && found < positions.length) {
        positions(found) = (word << 6) + numberOfTrailingZeros(bits)
        found += 1
        bits &= bits - 1
      }
      word += 1
    }
  }

  /** The number of values in the rows before `row`, for `0 <= row <= size`. */
  def before(row: Int): Int = counts.between(0, row)

  /** The row of the value that comes after exactly `before` values; -1 if there is none. */
  def row(before: Long): Int =
    if (before < 0 || before >= (if (valid == null) size else positions.length)) -1
    else if (valid == null) before.toInt
    else positions(before.toInt)
}
