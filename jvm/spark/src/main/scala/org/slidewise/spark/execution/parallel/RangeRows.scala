package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

import org.slidewise.spark.execution.blocks.{BlockDecoder, RowsInBlocks}
import org.slidewise.spark.execution.surroundings.{PartialAggregator, SurroundingFunctions, SurroundingRows}

/**
 * The rows of all runs between some cuts.
 *
 * @param cuts
 *   the cuts in order; the range has the rows from the first cut to the last
 * @param parts
 *   the parts of the runs to read, one after the other
 * @param rowsBefore
 *   the number of rows before the first cut in runs of which no part is read
 */
final private[parallel] case class RangeToRead(cuts: Array[Cut], parts: Array[RunPart], rowsBefore: Long) {

  /** For each part, the groups of buckets to read at once. A group is its first bucket and the bucket after its last. */
  def reads: Array[Array[(Int, Int)]] =
    parts.map(part => part.readFrom.zip(part.readFrom.tail :+ part.endBucket))
}

private[parallel] object RangeToRead {

  /**
   * @param parts
   *   the parts of all runs for these cuts
   */
  def of(cuts: Array[Cut], parts: Array[RunPart]): RangeToRead = {
    val (empty, read) = parts.partition(_.isEmpty)
    RangeToRead(cuts, read, empty.map(_.firstPosition).sum)
  }

  def of(runs: Runs, cuts: Array[Cut]): RangeToRead = of(cuts, runs.parts(cuts))

  /** All rows of some runs, whatever their indexes are. */
  def all(runs: Seq[Int], buckets: Int): RangeToRead =
    RangeToRead(
      Array.empty,
      runs.map(RunPart(_, 0, buckets, Array(0), 0L, Array.empty, Array.empty)).toArray,
      rowsBefore = 0L
    )
}

/**
 * The rows of a range's parts, in blocks.
 *
 * @param blocks
 *   the blocks of a part
 * @param rows
 *   the rows of blocks
 */
final private[parallel] class RowsOfParts(
    parts: Int,
    blocks: Int => Iterator[InternalRow],
    rows: Iterator[InternalRow] => RowsInBlocks
) {

  /** The rows of a part. */
  def apply(part: Int): RowsInBlocks = rows(blocks(part))

  /** The rows of all parts, one after the other. */
  def all: RowsInBlocks = rows((0 until parts).iterator.flatMap(blocks))
}

/** Thrown if a run no longer has the rows of its index, so that cuts are not valid for the run. */
final private class RunChanged(part: RunPart, read: Long)
    extends RuntimeException(
      s"A task that writes rows for a window without PARTITION BY or for a skewed key ran again, with ${read - part.firstPosition} " +
        s"rows where it had ${part.rows}: its input is not the same each time. One task evaluates such a window right: SET " +
        "spark.slidewise.parallel.enabled = false"
    )

/**
 * Reads the rows of a range, run after run, and finds the interval between cuts in which each row lies. A row is compared with a
 * cut only if the cut lies in its bucket. Throws [[RunChanged]] if a part has more or fewer rows than its index says.
 *
 * @param open
 *   returns the rows of a part
 * @param key
 *   projects a row to its sort key
 * @param functions
 *   the functions whose aggregates are computed for rows that are read but lie outside the range; none if no aggregates are
 *   needed
 */
final private[parallel] class RangeRows(
    range: RangeToRead,
    open: RowsOfParts,
    key: UnsafeProjection,
    order: CutOrder,
    functions: Option[SurroundingFunctions] = None
) extends RowsInBlocks {
  private[this] val cuts = range.cuts
  private[this] val counted = new Array[Long](cuts.length + 1)
  private[this] var skipped = range.rowsBefore
  private[this] var next = 0 // part
  private[this] var part: RunPart = _
  private[this] var rows: RowsInBlocks = _
  private[this] var position = 0L
  private[this] var passed, interval, blockRows = 0
  private[this] var row: InternalRow = _
  private[this] var block: BlockDecoder = _ // has been read; all its rows lie in one interval
  private[this] val before, after: PartialAggregator = functions.map(_.aggregator()).orNull

  override def hasNext: Boolean = row != null || block != null || {
    while (row == null && block == null && (rows != null && rows.hasNext || openNext()))
      if (rows != null && rows.hasNext) if (rows.isBlockNext) takeBlock() else take(rows.next())
    row != null || block != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    if (block != null) {
      giveBack()
      take(rows.next())
    }
    val found = row
    row = null
    found
  }

  override def isBlockNext: Boolean = hasNext && block != null

  override def nextBlock(): BlockDecoder = {
    val found = block
    block = null
    found
  }

  override def giveBack(): Unit = {
    block = null
    count(-blockRows)
    rows.giveBack()
  }

  override def rowAt(place: Int): UnsafeRow = rows.rowAt(place)

  /** Reads a whole block if its rows lie in one interval and need not be aggregated; otherwise reads one row. */
  private def takeBlock(): Unit = {
    val taken = rows.nextBlock()
    blockRows = taken.count
    interval = intervalOf(blockRows)
    if (interval < 0 || !isInside && before != null) {
      rows.giveBack()
      take(rows.next())
    } else {
      count(blockRows)
      if (isInside) block = taken
    }
  }

  private def isInside: Boolean = interval > 0 && interval < cuts.length

  /** The interval of the next `rows` rows if, according to the run's index, all of them lie in one interval; otherwise -1. */
  private def intervalOf(rows: Int): Int = {
    var found = 0
    while (found < cuts.length && position >= part.most(found)) found += 1
    if (found == cuts.length || position + rows <= part.least(found)) found else -1
  }

  private def count(rows: Int): Unit = {
    counted(interval) += rows
    position += rows
  }

  private def take(read: InternalRow): Unit = {
    place(read)
    count(1)
    if (isInside) row = read
    else if (before != null) (if (interval == 0) before else after).add(read)
  }

  private def openNext(): Boolean = {
    if (part != null && position - part.firstPosition != part.rows) throw new RunChanged(part, position)
    next < range.parts.length && begin()
  }

  private def begin(): Boolean = {
    part = range.parts(next)
    rows = open(next)
    position = part.firstPosition
    skipped += position
    passed = 0
    next += 1
    true
  }

  /** Finds the interval of the row at `position`. */
  private def place(read: InternalRow): Unit = {
    while (passed < cuts.length && position >= part.most(passed)) passed += 1
    interval = passed
    while (interval < cuts.length && !isBefore(read, interval)) interval += 1
  }

  private def isBefore(read: InternalRow, cut: Int): Boolean =
    position < part.least(cut) ||
      position < part.most(cut) && order.isBefore(key(read), Cut.place(part.run, position), cuts(cut))

  /** The interval of the row that was last returned: 1 between the first and the second cut, and so on. */
  def currentInterval: Int = interval

  /** The number of rows in an interval. Complete once all rows are read. */
  def rowsIn(interval: Int): Long = counted(interval)

  /** The number of rows in the first and the third of three intervals, which are the halos. Complete once all rows are read. */
  def haloRows: Long = rowsIn(1) + rowsIn(3)

  /**
   * The aggregates of the rows before the first cut and from the last cut on, as far as these rows are read. Known once all rows
   * are read.
   */
  def around: SurroundingRows = SurroundingRows(before.result(), after.result())

  /** The number of rows of all runs before the first cut. Known once all rows are read. */
  def rowsBefore: Long = skipped + counted(0)
}
