package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.sorting.SortKey

/**
 * Finds the bucket of each row: the number of splitters that are not greater than its key. Where several splitters are equal,
 * their buckets share the rows with that key: in order of arrival, or by content where the order may be another when the task
 * runs again.
 *
 * Cost: O(log B) comparisons of 64 bits for B buckets, and few where the keys are spread evenly; of whole keys only where these
 * bits are equal.
 *
 * @param splitters
 *   in order
 * @param rows
 *   how many will come
 * @param byContent
 *   whether rows may come in another order when the task runs again
 */
final private[parallel] class Splitters(
    splitters: Array[UnsafeRow],
    spec: RunOrder,
    input: Seq[Attribute],
    rows: Long,
    byContent: Boolean
) {
  private[this] val key = spec.keys(input)
  private[this] val ordering = spec.ordering
  private[this] val counts = new Array[Long](splitters.length + 1)
  private[this] val evenShare = math.max(1L, rows / counts.length)

  /** How many rows have had the key of equal splitters, by the first of these. */
  private[this] val seen = new Array[Long](splitters.length)

  private[this] val prefix = spec.first.map(KeyPrefix(_, input))
  private[this] val isExact = spec.columns == 0 || spec.columns == 1 && prefix.get.isExact
  private[this] val prefixes: Array[Long] = {
    val ofKey = spec.directions.headOption.map(KeyPrefix(_, Nil))
    splitters.map(splitter => ofKey.fold(0L)(_(splitter)))
  }

  def buckets: Int = counts.length

  /** The bucket of the next row. */
  def place(row: UnsafeRow): Int = {
    val bucket = bucketOf(row)
    counts(bucket) += 1
    bucket
  }

  private def bucketOf(row: UnsafeRow): Int = {
    val bits = if (prefix.isEmpty) 0L else prefix.get(row)
    val less = lessThan(bits)
    if (less == prefixes.length || prefixes(less) != bits) less
    else {
      var from = less
      var until = less + 1
      while (until < prefixes.length && prefixes(until) == bits) until += 1
      if (isExact) among(from, until, row)
      else {
        val wanted = key(row)
        while (from < until && ordering.compare(splitters(from), wanted) < 0) from += 1
        var end = from
        while (end < until && ordering.compare(splitters(end), wanted) == 0) end += 1
        if (from == end) from else among(from, end, row)
      }
    }
  }

  /** One of the buckets that begin with the equal splitters `from until until`. */
  private def among(from: Int, until: Int, row: UnsafeRow): Int =
    if (until - from == 1) until
    else if (byContent) from + 1 + Math.floorMod(KeySample.hash(row), until.toLong - from).toInt
    else {
      val bucket = from + 1 + math.min(until - from - 1L, seen(from) / evenShare).toInt
      seen(from) += 1
      bucket
    }

  // Cells of equal width over the prefixes: how many of these are in earlier ones. Most rows then need few comparisons.
  private[this] val origin = if (prefixes.isEmpty) 0L else prefixes.head
  private[this] val shift: Int = {
    val width = if (prefixes.isEmpty) 0L else prefixes.last - origin
    math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(width) - Splitters.CellBits)
  }
  private[this] val cells: Array[Int] = {
    val found = new Array[Int]((1 << Splitters.CellBits) + 2)
    prefixes.foreach(p => found(cellOf(p) + 1) += 1)
    found.scanLeft(0)(_ + _).tail
  }

  private def cellOf(bits: Long): Int = ((bits - origin) >>> shift).toInt

  /** How many of the splitters' prefixes are less. */
  private def lessThan(bits: Long): Int =
    if (prefixes.length == 0 || bits <= origin) 0
    else if (bits > prefixes(prefixes.length - 1)) prefixes.length
    else {
      val cell = cellOf(bits)
      lessThan(bits, cells(cell), cells(cell + 1))
    }

  private def lessThan(bits: Long, from: Int, until: Int): Int = {
    var low = from
    var high = until
    while (low < high) {
      val middle = (low + high) >>> 1
      if (prefixes(middle) < bits) low = middle + 1 else high = middle
    }
    low
  }

  /** The index of the rows that have been placed. */
  def index(): RunIndex = {
    val built = new RunIndex.Builder(spec.columns)
    var before = 0L
    for (bucket <- counts.indices) {
      built.add(before, if (bucket == 0) leastKey else splitters(bucket - 1))
      before += counts(bucket)
    }
    built.result(before)
  }

  // The first bucket has no least key: no one compares it.
  private def leastKey: UnsafeRow = UnsafeRow.createFromByteArray(0, spec.columns)
}

private object Splitters {
  private val CellBits = 11
}

/** The first column of a key as 64 bits, in the order of signed numbers. */
final private class KeyPrefix(column: SortKey, nullable: Boolean, values: Projection) {
  private[this] val flip = column.flip ^ Long.MinValue
  private[this] val ofNull = if (column.nullsFirst) Long.MinValue else Long.MaxValue

  /** Whether equal bits mean equal values. */
  val isExact: Boolean = column.fits && !nullable

  def apply(row: InternalRow): Long = {
    val bits = values(row)
    if (bits.isNullAt(0)) ofNull else bits.getLong(0) ^ flip
  }
}

private object KeyPrefix {
  def apply(order: SortOrder, input: Seq[Attribute]): KeyPrefix = {
    val column = new SortKey(order)
    new KeyPrefix(
      column,
      order.child.nullable,
      MutableProjection.create(Seq(column.prefix), input).target(new SpecificInternalRow(Seq(LongType)))
    )
  }
}
