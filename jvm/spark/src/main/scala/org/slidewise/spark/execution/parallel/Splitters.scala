package org.slidewise.spark.execution.parallel

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.sorting.KeyPrefix
import org.slidewise.spark.plan.WindowKeys

/**
 * Finds the bucket of each row: the number of splitters that are not greater than its key. Where several splitters are equal,
 * their buckets share the rows with this key, in the order of arrival or by hash.
 *
 * Cost: for B buckets, O(log B) comparisons of 64 bits for each column in which splitters agree, and few where the keys are
 * spread evenly. Whole keys are compared, O(log B) times, only where 64 bits do not distinguish values.
 *
 * @param splitters
 *   the splitters in order
 * @param rows
 *   the number of rows to place
 * @param hash
 *   a hash of the columns that are the same when the task runs again; none if the rows come in the same order then
 */
final private[parallel] class Splitters(
    splitters: Array[UnsafeRow],
    spec: RunOrder,
    input: Seq[Attribute],
    rows: Long,
    hash: Option[RowHash]
) {
  private[this] val key = spec.keys(input)
  private[this] val ordering = spec.ordering
  private[this] val counts = new Array[Long](splitters.length + 1)
  private[this] val evenShare = math.max(1L, rows / counts.length)

  /** The number of rows so far that have the key of equal splitters, by the first of these splitters. */
  private[this] val seen = new Array[Long](splitters.length)

  /** The leading columns that fit 64 bits, and the next column, of which 64 bits hold only a prefix. */
  private[this] val columns: Array[KeyPrefix] = {
    val held = spec.inRows.takeWhile(WindowKeys.fitsInLong).size
    spec.inRows.take(held + 1).map(new KeyPrefix(_, input)).toArray
  }

  /** The bits of the splitters, by column. */
  private[this] val prefixes: Array[Array[Long]] =
    spec.directions
      .take(columns.length)
      .map(new KeyPrefix(_, Nil))
      .map(bits => splitters.map(bits(_)))
      .toArray

  /** The end of the splitters with the same bits in a column and in the columns before it, by column and splitter. */
  private[this] val groupEnds: Array[Array[Int]] =
    prefixes.indices
      .map(c => endsOf((i, j) => (0 to c).forall(p => prefixes(p)(i) == prefixes(p)(j))))
      .toArray

  /** The end of the splitters that are equal to a splitter, by splitter. */
  private[this] val equalEnds: Array[Int] =
    endsOf((i, j) => ordering.compare(splitters(i), splitters(j)) == 0)

  private def endsOf(alike: (Int, Int) => Boolean): Array[Int] = {
    val found = new Array[Int](splitters.length)
    for (i <- found.indices.reverse)
      found(i) = if (i + 1 < found.length && alike(i, i + 1)) found(i + 1) else i + 1
    found
  }

  def buckets: Int = counts.length

  /** The columns of a key that [[place]] reads as 64 bits. */
  def prefixColumns: Array[KeyPrefix] = columns

  /** The bucket of the next row. */
  def place(row: RowKeys): Int = {
    val bucket = if (columns.isEmpty) among(0, splitters.length, row) else narrow(0, 0, splitters.length, row)
    counts(bucket) += 1
    bucket
  }

  /** The bucket of a row whose earlier columns equal the earlier columns of the splitters `from until until`. */
  @tailrec private def narrow(column: Int, from: Int, until: Int, row: RowKeys): Int = {
    val bits = row.bits(column)
    val held = prefixes(column)
    val less =
      if (cells(column).are(from, until)) cells(column).lessThan(bits)
      else Splitters.lessThan(held, bits, from, until)
    if (less == until || held(less) != bits) less
    else {
      val end = groupEnds(column)(less)
      if (!columns(column).isExact(bits)) compared(less, end, row)
      else if (column + 1 == spec.columns) among(less, end, row)
      else narrow(column + 1, less, end, row)
    }
  }

  /** The bucket of a row that lies among the splitters `from until until`, found by comparing whole keys. */
  private def compared(from: Int, until: Int, row: RowKeys): Int = {
    val wanted = key(row.row)
    var low = from
    var high = until
    while (low < high) {
      val middle = (low + high) >>> 1
      if (ordering.compare(splitters(middle), wanted) < 0) low = middle + 1 else high = middle
    }
    if (low == until || ordering.compare(splitters(low), wanted) != 0) low
    else among(low, equalEnds(low), row)
  }

  /** One of the buckets that begin with the equal splitters `from until until`. */
  private def among(from: Int, until: Int, row: RowKeys): Int =
    if (until - from <= 1) until
    else if (hash.isDefined) from + 1 + Math.floorMod(hash.get(row.row), until.toLong - from).toInt
    else {
      val bucket = from + 1 + math.min(until - from - 1L, seen(from) / evenShare).toInt
      seen(from) += 1
      bucket
    }

  /** The cells of the largest group of splitters with the same values in the columns before a column, by column. */
  private[this] val cells: Array[SplitterCells] = prefixes.indices.map { column =>
    val (from, until) = if (column == 0) (0, splitters.length) else largestGroup(column - 1)
    new SplitterCells(prefixes(column), from, until)
  }.toArray

  /**
   * The largest group of splitters whose values agree in a column and in the columns before it. Bits that are not exact may
   * belong to several values.
   */
  private def largestGroup(column: Int): (Int, Int) =
    splitters.indices
      .filter(i => (0 to column).forall(c => columns(c).isExact(prefixes(c)(i))))
      .map(i => (i, groupEnds(column)(i)))
      .foldLeft((0, 0))((largest, group) =>
        if (group._2 - group._1 > largest._2 - largest._1) group else largest
      )

  /**
   * The index of the rows that have been placed.
   *
   * @param aggregates
   *   the aggregates of the rows of each bucket, if any function needs them
   */
  def index(aggregates: Option[BucketAggregates]): RunIndex = {
    val built = new RunIndex.Builder(spec.columns)
    var before = 0L
    for (bucket <- counts.indices) {
      built.add(before, if (bucket == 0) leastKey else splitters(bucket - 1))
      before += counts(bucket)
    }
    built.result(before, aggregates)
  }

  // The first bucket has no least key, because no row is compared with it.
  private def leastKey: UnsafeRow = UnsafeRow.createFromByteArray(0, spec.columns)
}

private object Splitters {

  /** The first of `from until until` whose bits in `held` are not less than `bits`; `until` if all are less. */
  def lessThan(held: Array[Long], bits: Long, from: Int, until: Int): Int = {
    var low = from
    var high = until
    while (low < high) {
      val middle = (low + high) >>> 1
      if (held(middle) < bits) low = middle + 1 else high = middle
    }
    low
  }
}

/**
 * Cells of equal width over the bits of the splitters `from until until`. Each cell holds the place of the first splitter that is
 * not in an earlier cell. Most rows then need few comparisons.
 */
final private class SplitterCells(held: Array[Long], from: Int, until: Int) {
  private[this] val isEmpty = from == until
  private[this] val origin = if (isEmpty) 0L else held(from)
  private[this] val shift: Int = {
    val width = if (isEmpty) 0L else held(until - 1) - origin
    math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(width) - SplitterCells.Bits)
  }
  private[this] val earlier: Array[Int] = {
    val found = new Array[Int]((1 << SplitterCells.Bits) + 2)
    for (i <- from until until) found(cellOf(held(i)) + 1) += 1
    found(0) = from
    for (i <- 1 until found.length) found(i) += found(i - 1)
    found
  }

  private def cellOf(bits: Long): Int = ((bits - origin) >>> shift).toInt

  /** Whether the cells are those of the splitters `first until end`. */
  def are(first: Int, end: Int): Boolean = first == from && end == until

  /** The first splitter whose bits are not less than `bits`; `until` if all are less. */
  def lessThan(bits: Long): Int =
    if (isEmpty || bits <= origin) from
    else if (bits > held(until - 1)) until
    else {
      val cell = cellOf(bits)
      Splitters.lessThan(held, bits, earlier(cell), earlier(cell + 1))
    }
}

private object SplitterCells {
  private val Bits = 11
}
