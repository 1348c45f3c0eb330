package org.slidewise.core.multisets

import org.slidewise.core.batch.Frames

/**
 * Finds the most frequent code of each frame, through a [[ModeTournament]]: SQL's `mode`.
 *
 * '''Cost.''' O(log u) at most for a row that enters or leaves, for `u` codes, and O(1) where its code is rare. Memory:
 * [[Modes.BytesARow]] for each code of the largest column, kept for the next column. Not safe for concurrent use.
 */
final class Modes extends SlidingMultiset {
  private[this] val tournament = new ModeTournament
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
    tournament.reset(cardinality, if (smallest) TieOrder.Smallest else TieOrder.Greatest)
    this.out = out
    slide(codes, frames)
    this.out = null
  }

  private[multisets] def add(code: Int): Unit = tournament.add(code)
  private[multisets] def remove(code: Int): Unit = tournament.remove(code)
  private[multisets] def write(k: Int): Unit = out(k) = tournament.winner
}

object Modes {

  /** The most bytes for each row of the longest column: fewer than two leaves and two inner nodes. */
  final val BytesARow: Long = 2 * 4 + 2 * 4
}
