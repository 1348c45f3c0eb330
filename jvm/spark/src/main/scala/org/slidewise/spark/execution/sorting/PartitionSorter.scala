package org.slidewise.spark.execution.sorting

import org.apache.spark.memory.{MemoryConsumer, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.core.sorting.RadixOrder
import org.slidewise.spark.execution.{RowLog, TaskResources}

/**
 * Sorts a task's rows by partition key and, within it, by one order column; rows that tie stay in the order in which
 * they came.
 *
 * Spark sorts by comparing rows. This gives each partition key a number, sorts the order keys' bits by radix, and
 * then counts the rows into their partitions. Rows are copied once, into pages, and never moved.
 *
 * Memory: the rows, 20 bytes a row, a copy of each partition key, and 20 bytes a row more while sorting. If the task
 * does not have it, all rows go to Spark's own external sorter.
 */
final private[execution] class PartitionSorter(
    resources: TaskResources,
    input: Seq[Attribute],
    partitionSpec: Seq[Expression],
    order: SortOrder
) extends MemoryConsumer(resources.memory, 0L, resources.memory.getTungstenMemoryMode) {
  import PartitionSorter._

  private[this] val log = RowLog.of(input, resources)
  private[this] val groupKey = UnsafeProjection.create(partitionSpec, input)
  private[this] val orderKey = new OrderKey(order, input)
  private[this] val groups = new GroupNumbers
  private[this] var keys = Array.emptyLongArray
  private[this] var addresses = Array.emptyLongArray
  private[this] var groupOf = Array.emptyIntArray
  private[this] var nulls = new java.util.BitSet
  private[this] var count = 0
  private[this] var peak = 0L

  private[this] var external: ExternalSort = _
  private[this] var sorted: SortedRows = _

  /** The rows in order; the same object each time. */
  def sort(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    var unplaced: UnsafeRow = null
    while (unplaced == null && rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      if (!add(row)) unplaced = row
    }
    // Asking for memory may be what makes the log spill.
    val inMemory =
      unplaced == null && acquire(count * (RadixOrder.bytesARow + IntBytes)) && log.spilledBytes == 0
    if (!inMemory) sortExternally(Option(unplaced).iterator ++ rows)
    else {
      sorted = new SortedRows(log, addresses, inOrder(), count, () => close())
      freeMemory(getUsed - addresses.length * LongBytes - count * IntBytes)
      addresses = null
      sorted
    }
  }

  /**
   * @return
   *   false if there is no memory for it; the row is then not in
   */
  private def add(row: UnsafeRow): Boolean =
    (count < keys.length || grow()) && {
      try {
        val held = groups.bytes
        groupOf(count) = groups.of(groupKey(row))
        val placed = (groups.bytes == held || acquire(groups.bytes - held)) && {
          log.append(row)
          true
        }
        if (placed) {
          keys(count) = orderKey.of(row)
          if (orderKey.wasNull) nulls.set(count)
          addresses(count) = log.newestAddress
          count += 1
        }
        placed
      } catch { case _: SparkOutOfMemoryError => false }
    }

  private def grow(): Boolean = {
    val size = if (count == 0) FirstRows else math.min(count * 2L, MostRows.toLong).toInt
    val granted = size > count && acquire((size - count) * BytesARow)
    if (granted) {
      keys = java.util.Arrays.copyOf(keys, size)
      addresses = java.util.Arrays.copyOf(addresses, size)
      groupOf = java.util.Arrays.copyOf(groupOf, size)
    }
    granted
  }

  private def acquire(bytes: Long): Boolean = {
    val granted = acquireMemory(bytes)
    if (granted < bytes) freeMemory(granted)
    peak = math.max(peak, getUsed)
    granted == bytes
  }

  private def inOrder(): Array[Int] = {
    val byKey = RadixOrder.byKeys(keys, count)
    keys = null
    val byOrder = if (nulls.isEmpty) byKey else RadixOrder.byGroup(byKey, count, nullRanks(), 2)
    nulls = null
    if (groups.size <= 1) byOrder
    else {
      val ordering = InterpretedOrdering.forSchema(partitionSpec.map(_.dataType))
      val ranks = groups.ranks(ordering)
      var i = 0
      while (i < count) {
        groupOf(i) = ranks(groupOf(i))
        i += 1
      }
      RadixOrder.byGroup(byOrder, count, groupOf, groups.size)
    }
  }

  private def nullRanks(): Array[Int] =
    Array.tabulate(count)(i => if (nulls.get(i) == orderKey.nullsFirst) 0 else 1)

  private def sortExternally(rest: Iterator[InternalRow]): Iterator[InternalRow] = {
    external = new ExternalSort(
      input,
      partitionSpec.map(SortOrder(_, Ascending)) :+ order,
      resources.memory.pageSizeBytes
    )
    // The one row that is not in the log lies in the child's buffer, which the child does not touch until asked.
    val reader = log.reader()
    var i = 0L
    while (i < log.end) {
      if (i % ReleaseEvery == 0) log.release(i)
      external.insert(reader(i))
      i += 1
    }
    free()
    rest.foreach(row => external.insert(row.asInstanceOf[UnsafeRow]))
    external.sort()
  }

  /** Memory that was held at most, in bytes. */
  def peakMemory: Long = peak + log.peakMemory + (if (external == null) 0L else external.peakMemory)

  /** Bytes written to files, but for those of Spark's sorter, which counts them with the task. */
  def spilledBytes: Long =
    log.spilledBytes + (if (sorted == null) 0L else sorted.spilledBytes)

  private def free(): Unit = {
    log.close()
    keys = null
    addresses = null
    groupOf = null
    nulls = null
    if (getUsed > 0) freeMemory(getUsed)
  }

  /** Gives all memory and files back. */
  def close(): Unit = {
    if (sorted != null) sorted.close()
    if (external != null) external.close()
    free()
  }

  /** Once the rows are sorted, those that are still to come can go to a file; before, the log spills by itself. */
  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if (sorted == null || !sorted.canSpill) 0L
    else {
      val held = getUsed + log.getUsed
      resources.countSpill(held, sorted.spill())
      free()
      held
    }
}

private object PartitionSorter {
  private val IntBytes = 4L
  private val LongBytes = 8L
  private val BytesARow = 2 * LongBytes + IntBytes
  private val FirstRows = 1024
  private val MostRows = Int.MaxValue - 16
  private val ReleaseEvery = 4096L
}
