package org.slidewise.spark.execution.toprows

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.core.selection.{HeapBudget, SmallestPerGroup}
import org.slidewise.spark.execution.rows.{LogRows, RowLog}
import org.slidewise.spark.execution.sorting.KeyPrefix
import org.slidewise.spark.execution.task.{HeapMemory, MemoryMetrics, TaskResources}

/**
 * Selects the first rows of each partition from rows that come in any order, without a sort. The result is a superset of the
 * first rows, in the order of arrival.
 *
 * Most rows are rejected by one comparison of 64 bits. Accepted rows are copied into a log. When displaced rows may take more
 * than half of the log, the other rows are copied to its end.
 *
 * Falls back to passing all rows, after those accepted so far, if the task has no memory for the selection, or the selection
 * removes less than [[TopRowsSelection.LeastRemoved]] of the rows.
 *
 * Memory: at most twice the rows of the result, [[TopRowsSelection.Slack]] rows, and a chunk of the log; on the heap 48 to 96
 * bytes a partition and 8 to 32 bytes an accepted row, plus the order columns of these rows if 64 bits do not determine the order.
 * A partition key that 64 bits do not determine takes more: see [[org.slidewise.spark.execution.sorting.GroupNumbers]].
 */
final private[execution] class TopRowsSelection(
    spec: TopRowsSpec,
    resources: TaskResources,
    metrics: Map[String, SQLMetric]
) extends HeapMemory(resources)
    with HeapBudget {
  import TopRowsSelection._

  private[this] val values = new KeyPrefix(spec.order.head, spec.input)
  private[this] val columns = if (spec.isExact) null else new OrderTies(spec.order, spec.input)
  private[this] var numbers = PartitionNumbers.of(spec, this)
  private[this] var smallest =
    new SmallestPerGroup[UnsafeRow](spec.limit, spec.first, values.shared, Option(columns), this)

  private[this] val log = RowLog.of(spec.input, resources)
  private[this] val reader = log.reader()
  private[this] var firstKept = 0L // where the accepted rows start in the log
  private[this] var unmoved, unmovedEnd = 0L // rows that a failed compaction left behind
  private[this] var compactAt = Slack

  private[this] var selecting = true
  private[this] var arrived, removed = 0L
  private[this] var lastCheck, removedAtCheck = 0L
  private[this] var nextCheck = SecondCheck

  /** The selected rows. The iterator reuses the row object. */
  def select(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val begin = System.nanoTime()
    var unplaced: UnsafeRow = null
    while (selecting && rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      if (!add(row)) {
        selecting = false
        unplaced = row
      }
      arrived += 1
      if (arrived % CheckEvery == 0) check()
    }
    if (selecting && accepted > smallest.size + smallest.size / 8) compact()
    metrics(TopRowsMetrics.Time) += System.nanoTime() - begin
    report(passed = if (unplaced == null) 0 else 1)
    freeSelection()
    reader.leave()
    // The row without memory is in the child's buffer, which the child overwrites only when the next row is requested.
    val selected =
      new LogRows(log, firstKept, log.end, releases = unmoved == unmovedEnd) ++
        new LogRows(log, unmoved, unmovedEnd, releases = false) ++ {
          log.close()
          Option(unplaced).iterator
        } ++ rows
    val count = metrics(TopRowsMetrics.Rows)
    selected.map { row =>
      count += 1
      row
    }
  }

  private def accepted: Long = log.end - firstKept

  /**
   * @return
   *   false if there is no memory for the row; it is then not in the log
   */
  private def add(row: UnsafeRow): Boolean = {
    val value = values(row)
    val group = numbers.of(row)
    if (group < 0) false
    else if (smallest.isAfter(group, value)) {
      removed += 1
      true
    } else
      smallest.offer(group, value, columnsOf(row)) match {
        case SmallestPerGroup.Accepted => append(row)
        case SmallestPerGroup.Rejected =>
          removed += 1
          true
        case _ => false
      }
  }

  private def columnsOf(row: UnsafeRow): UnsafeRow = if (columns == null) null else columns.of(row)

  private def append(row: UnsafeRow): Boolean =
    try {
      log.append(row)
      if (accepted >= compactAt && accepted >= 2 * smallest.size + Slack) compact()
      true
    } catch { case _: SparkOutOfMemoryError => false }

  /** Copies the rows that may still be selected to the end of the log, and drops the rows before them. */
  private def compact(): Unit = {
    val from = firstKept
    firstKept = log.end
    unmovedEnd = firstKept
    unmoved = from
    try
      while (unmoved < unmovedEnd) {
        if (unmoved % CheckEvery == 0) {
          resources.stopIfCancelled()
          log.release(unmoved)
        }
        val row = reader(unmoved)
        if (smallest.keeps(numbers.of(row), values(row), columnsOf(row))) log.append(row)
        unmoved += 1
      }
    catch { case _: SparkOutOfMemoryError => selecting = false }
    removed += unmoved - from - accepted
    compactAt = 2 * accepted + Slack
  }

  /** Stops the selection if it does not pay, because memory is short, almost every key is new, or few rows can be removed. */
  private def check(): Unit = {
    resources.stopIfCancelled()
    if (log.spilledBytes > 0 || arrived == FirstCheck && smallest.groups > arrived * MostNewKeys)
      selecting = false
    else if (arrived >= nextCheck && selecting) {
      val least = ((arrived - lastCheck) * LeastRemoved).toLong
      def removedSince = removed - removedAtCheck
      if (removedSince < least && removedSince + accepted - smallest.size >= least) compact()
      if (removedSince < least) selecting = false
      lastCheck = arrived
      removedAtCheck = removed
      nextCheck = 2 * arrived
    }
  }

  private def report(passed: Int): Unit = {
    metrics(TopRowsMetrics.Groups) += smallest.groups.toLong
    metrics(TopRowsMetrics.Rejected) += arrived - accepted - (unmovedEnd - unmoved) - passed
    if (!selecting) metrics(TopRowsMetrics.Fallbacks) += 1
  }

  private def freeSelection(): Unit = {
    numbers = null
    smallest = null
    releaseAll()
  }

  override def release(bytes: Long): Unit = freeMemory(bytes)

  /** Reports the memory, and gives all memory and files back. */
  def close(): Unit = {
    MemoryMetrics.report(metrics, resources, peakHeapMemory + log.peakMemory, log.spilledBytes)
    log.close()
    freeSelection()
  }
}

private object TopRowsSelection {
  private final val CheckEvery = 4096L
  private val FirstCheck = 1L << 16
  private val SecondCheck = 1L << 18
  private val MostNewKeys = 0.97

  /** The minimum fraction of the rows that the selection must remove. */
  val LeastRemoved = 0.125

  /** The number of rows that the log may hold beyond twice the rows that may still be selected. */
  val Slack = 4096L
}
