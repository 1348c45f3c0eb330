package org.slidewise.spark.execution.sorting

import org.slidewise.core.selection.{HeapBudget, LongNumbers}

/**
 * The partitions of unsorted rows.
 *
 * @param numbers
 *   for each row the number of its partition, in the order in which partitions first appear
 * @param sizes
 *   for each partition the number of its rows
 */
final private[execution] class PartitionGroups(val numbers: Array[Int], val sizes: Array[Int])

private[sorting] object PartitionGroups {

  /** The memory of the numbers, for each row, in bytes. */
  val BytesARow: Long = 4

  private val BytesASize = 4L
  private val CheckEvery = 1 << 20

  /** The partitions of rows, given a column with the number of each row's partition, from 0 on. */
  def ofNumbers(
      numbers: Array[Long],
      rows: Int,
      partitions: Int,
      budget: HeapBudget
  ): Option[PartitionGroups] =
    counted(Array.tabulate(rows)(numbers(_).toInt), partitions, budget)

  /**
   * Groups rows with equal values in the `keys` columns into partitions. Uses a hash table of the values of each column.
   *
   * @param budget
   *   grants the memory of the tables, which is given back, and of the sizes, which is kept
   * @param checkpoint
   *   called periodically; may throw to cancel
   * @return
   *   none if there is no memory
   */
  def ofColumns(
      columns: LongColumns,
      keys: Range,
      rows: Int,
      budget: HeapBudget,
      checkpoint: Runnable
  ): Option[PartitionGroups] = {
    val numbers = new Array[Int](rows)
    val partitions = keys.foldLeft(1) { (before, key) =>
      if (before < 0) before else refine(numbers, before, columns, key, rows, budget, checkpoint)
    }
    if (partitions < 0) None else counted(numbers, partitions, budget)
  }

  /**
   * Numbers the distinct pairs of a row's current number and its value in column `key`. Returns how many pairs there are, or -1
   * without memory.
   */
  private def refine(
      numbers: Array[Int],
      before: Int,
      columns: LongColumns,
      key: Int,
      rows: Int,
      budget: HeapBudget,
      checkpoint: Runnable
  ): Int = {
    val table = new Table(budget)
    val values = columns(key)
    val nullable = columns.anyNull(key)
    var i = 0
    var found = 0
    try {
      val ofValues = table.numbers()
      val ofPairs = if (before == 1) null else table.numbers()
      while (i < rows && found >= 0) {
        if (i % CheckEvery == 0) checkpoint.run()
        found = if (nullable && columns.isNull(key, i)) ofValues.ofNull() else ofValues.of(values(i))
        if (found >= 0 && ofPairs != null) found = ofPairs.of(numbers(i).toLong << 32 | found)
        numbers(i) = found
        i += 1
      }
      if (found < 0) -1 else if (ofPairs != null) ofPairs.size else ofValues.size
    } finally table.release()
  }

  private def counted(numbers: Array[Int], partitions: Int, budget: HeapBudget): Option[PartitionGroups] =
    if (!budget.acquire(partitions * BytesASize)) None
    else {
      val sizes = new Array[Int](partitions)
      var i = 0
      while (i < numbers.length) {
        sizes(numbers(i)) += 1
        i += 1
      }
      Some(new PartitionGroups(numbers, sizes))
    }

  /** Creates hash tables, and holds their memory. */
  final private class Table(budget: HeapBudget) extends HeapBudget {
    private[this] var held = 0L

    def numbers(): LongNumbers = new LongNumbers(this)

    override def acquire(bytes: Long): Boolean = {
      val granted = budget.acquire(bytes)
      if (granted) held += bytes
      granted
    }

    override def release(bytes: Long): Unit = {
      held -= bytes
      budget.release(bytes)
    }

    def release(): Unit = {
      budget.release(held)
      held = 0L
    }
  }
}
