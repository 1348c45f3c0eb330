package org.slidewise.spark.execution.arrays

import org.slidewise.core.kernels.{PeerGroups, Validity, ValidPositions}
import org.slidewise.spark.execution.surroundings.ArrayValue
import org.slidewise.spark.plan.{ArrayFunction, RankKind}

/** The results of one window expression for one partition after the other, as longs or as doubles. */
sealed private[arrays] trait PartitionResult {

  /** The results that are not null, as bits (see [[Validity]]); null if no result is null. */
  def valid: Array[Long]

  /**
   * Evaluates the expression for a partition's `size` rows. Only the results from `first` to before `until` are handed out.
   *
   * @return
   *   the number of frames that were recalculated row by row
   */
  def evaluate(size: Int, first: Int, until: Int): Long

  /** The first row whose frame fails, and its error; `Int.MaxValue` and null if none does. */
  def failsAt: Int = Int.MaxValue
  def failure: ArithmeticException = null
}

private[arrays] trait LongResult extends PartitionResult {
  def values: Array[Long]
}

private[arrays] trait DoubleResult extends PartitionResult {
  def values: Array[Double]
}

/** Creates the results of ranks. */
private[arrays] object RankResult {
  def of(kind: RankKind, peers: PartitionPeers, surroundings: PartitionSurroundings): PartitionResult =
    kind match {
      case RankKind.RowNumber =>
        new LongRank((size, out) => PeerGroups.rowNumbers(size, surroundings.rowsBefore, out))
      case RankKind.Tile(buckets) =>
        new LongRank((size, out) =>
          PeerGroups.tiles(size, surroundings.rowsBefore, surroundings.totalRows(size), buckets, out)
        )
      case RankKind.Rank      => new LongRank((_, out) => peers.groups.ranks(surroundings.rowsBefore, out))
      case RankKind.DenseRank =>
        new LongRank((_, out) => peers.groups.denseRanks(surroundings.peerGroupsBefore, out))
      case RankKind.PercentRank =>
        new DoubleRank((size, out) =>
          peers.groups.percentRanks(surroundings.rowsBefore, surroundings.totalRows(size), out)
        )
      case RankKind.CumeDist =>
        new DoubleRank((size, out) =>
          peers.groups.cumulativeDistribution(surroundings.rowsBefore, surroundings.totalRows(size), out)
        )
    }
}

/**
 * Ranks that are whole numbers. Memory: eight bytes for each row of the largest partition so far.
 *
 * @param fill
 *   writes the ranks of a partition's rows, whose number is the first argument
 */
final private class LongRank(fill: (Int, Array[Long]) => Unit) extends LongResult {
  private[this] var out: Array[Long] = _

  override def values: Array[Long] = out
  override def valid: Array[Long] = null

  override def evaluate(size: Int, first: Int, until: Int): Long = {
    out = PartitionColumn.room(out, size)
    fill(size, out)
    0L
  }
}

/** Ranks that are shares of the partition. Memory: see [[LongRank]]. */
final private class DoubleRank(fill: (Int, Array[Double]) => Unit) extends DoubleResult {
  private[this] var out: Array[Double] = _

  override def values: Array[Double] = out
  override def valid: Array[Long] = null

  override def evaluate(size: Int, first: Int, until: Int): Long = {
    out = PartitionColumn.room(out, size)
    fill(size, out)
    0L
  }
}

/**
 * Values of other rows, as the eight bytes that a row stores for them. Each takes constant time.
 *
 * Memory: eight bytes and a bit for each row of the largest partition so far; if nulls are ignored, four bytes more.
 */
sealed abstract private[arrays] class ValueResult(input: PartitionColumn, ignoreNulls: Boolean)
    extends LongResult {
  private[this] var out: Array[Long] = _
  private[this] var words: Array[Long] = _
  private[this] var anyNull = false

  final override def values: Array[Long] = out
  final override def valid: Array[Long] = if (anyNull) words else null

  /** The number of rows that values are read from, for a partition of `size` rows. */
  protected def elements(size: Int): Int = size

  /** Called for each partition, before [[source]] is called for its rows. `found` is null unless nulls are ignored. */
  protected def begin(size: Int, found: ValidPositions): Unit

  /** The row whose value is the result for `row`; -1 if there is none, and [[ValueResult.Outside]] for [[outside]]. */
  protected def source(row: Int): Int

  /** The value of a row that the task does not evaluate. */
  protected def outside: ArrayValue = null

  /** The result for rows where [[source]] returns -1. */
  protected def default: Option[PartitionDefault]

  final override def evaluate(size: Int, first: Int, until: Int): Long = {
    out = PartitionColumn.room(out, size)
    words = PartitionColumn.room(words, Validity.words(size))
    val valid = input.valid
    val values = input.longs
    val missing = default.orNull
    begin(size, if (ignoreNulls) new ValidPositions(valid, elements(size)) else null)
    anyNull = false
    var row = 0
    while (row < size) {
      if ((row & 63) == 0) words(row >>> 6) = 0L
      val from = source(row)
      val known =
        if (from >= 0) Validity.at(valid, from)
        else if (from == ValueResult.Outside) outside.count > 0
        else missing != null && missing.isValid(row)
      out(row) =
        if (!known) 0L
        else if (from >= 0) values(from)
        else if (from == ValueResult.Outside) outside.long
        else missing(row)
      if (known) words(row >>> 6) |= 1L << row else anyNull = true
      row += 1
    }
    0L
  }
}

private[arrays] object ValueResult {
  final val Outside = -2
}

/** The default of `lag` and `lead` for each row, used where the offset leads to no row. */
final private[arrays] class PartitionDefault(column: PartitionColumn) {
  def isValid(row: Int): Boolean = Validity.at(column.valid, row)
  def apply(row: Int): Long = column.longs(row)
}

/** `first_value`, `last_value` and `nth_value`. */
final private[arrays] class ValueOfFrame(
    function: ArrayFunction.ValueOfFrame,
    frames: PartitionFrames,
    input: PartitionColumn,
    surroundings: FunctionSurroundings
) extends ValueResult(input, function.ignoreNulls) {
  private[this] val n = function.n
  private[this] var los, his = Array.emptyIntArray
  private[this] var found: ValidPositions = _
  private[this] var without = -1

  private[this] var outer: ArrayValue = _

  override protected def outside: ArrayValue = outer

  override protected def elements(size: Int): Int = frames.elements

  override protected val default: Option[PartitionDefault] = None

  override protected def begin(size: Int, positions: ValidPositions): Unit = {
    los = frames.frames.lo
    his = frames.frames.hi
    found = positions
    without = frames.nextWithout(0)
    outer = if (function.fromEnd) surroundings.after else surroundings.before
  }

  // Called for rows in order.
  override protected def source(row: Int): Int = if (row == without) {
    without = frames.nextWithout(row + 1)
    -1
  } else if (outer != null) ValueResult.Outside
  else {
    val (lo, hi) = (los(row), his(row))
    val at =
      if (found != null)
        found.row(if (function.fromEnd) found.before(hi).toLong - n else found.before(lo).toLong + n - 1)
      else math.max(-1L, math.min(hi, if (function.fromEnd) hi.toLong - n else lo.toLong + n - 1)).toInt
    if (at >= lo && at < hi) at else -1
  }
}

/** `lag` and `lead`. */
final private[arrays] class ValueAtOffset(
    function: ArrayFunction.ValueAtOffset,
    input: PartitionColumn,
    override protected val default: Option[PartitionDefault]
) extends ValueResult(input, function.ignoreNulls) {
  private[this] val offset = function.offset.toLong
  private[this] var size = 0
  private[this] var found: ValidPositions = _

  override protected def begin(newSize: Int, positions: ValidPositions): Unit = {
    size = newSize
    found = positions
  }

  override protected def source(row: Int): Int =
    if (found == null) {
      val at = row + offset
      if (at >= 0 && at < size) at.toInt else -1
    } else if (offset < 0) found.row(found.before(row) + offset)
    else found.row(found.before(row + 1) + offset - 1)
}
