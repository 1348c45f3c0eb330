package org.slidewise.spark.execution.arrays

import java.util.BitSet

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}

import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}
import org.slidewise.spark.execution.sorting._
import org.slidewise.spark.execution.surroundings.{
  ArraySurroundingsReader,
  PartialAggregate,
  PeerChanges,
  SurroundingRows
}
import org.slidewise.spark.execution.task.{HeapMemory, WindowTask}
import org.slidewise.spark.plan.{ArrayPlan, SlidingWindowPlan}

/**
 * Evaluates rows that come partition by partition and in order with array kernels, and returns each row with its results.
 *
 * Reads several rows at a time: at least as many new rows as there are old rows that later frames reach. Kernels therefore read
 * each row twice, amortised, and at most three times if a partition is shorter than a frame.
 *
 * Memory: the rows from the oldest that a later frame reaches to the newest, with their inputs and results. This is twice the
 * widest frame or, if that is more, [[PresortedArrays.FewestRows]] and the frame. If the task does not have this memory, or the
 * kernels cannot evaluate the rows (see [[ArrayWindow]]), the row-wise evaluation takes over from there.
 *
 * @param surroundings
 *   the surrounding rows, and the range of results to hand out
 * @param fallBack
 *   the row-wise evaluation. Its arguments are the remaining rows, from the oldest row that it needs on; the number of these rows
 *   that have been handed out already; and their surroundings
 */
final private[execution] class PresortedArrays(
    rows: Iterator[InternalRow],
    plan: SlidingWindowPlan,
    expressions: ArrayPlan,
    input: Seq[Attribute],
    task: WindowTask,
    surroundings: SurroundingRows,
    inArrays: ArraySurroundingsReader,
    fallBack: (Iterator[InternalRow], Int, SurroundingRows) => Iterator[InternalRow]
) extends HeapMemory(task.resources)
    with Iterator[InternalRow] {
  import PresortedArrays._
  private[this] val resources = task.resources
  private[this] val window = new ArrayWindow(expressions.functions, plan.orderSpec)
  private[this] val grouping = PartitionKeys.of(plan.partitionSpec, input)

  private[this] val keys = if (window.readsKeys) Seq(window.orderKey) else Nil
  private[this] var columns = new LongColumns(keys.size + window.inputs.size)
  private[this] val reader =
    new ColumnReader(keys, window.inputs, input, acquire(_), Seq.range(0, columns.width))
  private[this] val log = RowLog.of(input, resources)
  private[this] val logged = log.reader()
  private[this] val joined = new ResultJoiner(input, expressions.results)
  private[this] val types = expressions.results.map(_.dataType)
  private[this] val peers = if (window.readsPeers) new PeerChanges(plan.orderSpec, input) else null

  // The fields below are places in the columns. The row at place 0 is at position `base` in the log.
  private[this] var base = 0L
  private[this] var count, room = 0
  private[this] var numbers = Array.emptyIntArray
  private[this] var starts = new BitSet
  private[this] var changes = new BitSet // rows that do not tie with the row before
  private[this] var next, ready = 0 // the next row to hand out, and the end of the rows with results
  private[this] var from, oldest =
    0 // the first row of the current partition, and the first row that later frames reach
  private[this] var isFirstPartition = true
  private[this] val around = inArrays.read(surroundings)
  private[this] var started, complete = false
  private[this] var evaluator: PartitionEvaluator = _
  private[this] var awaitsRows = true

  private[this] var evaluatorBytes = 0L
  private[this] var closed = false
  private[this] var rowWise: Iterator[InternalRow] = _ // once it has taken over

  override def hasNext: Boolean = {
    while (rowWise == null && next == ready && (evaluateMore() || fill())) {}
    val more = if (rowWise != null) rowWise.hasNext else next < ready
    if (!more) close()
    more
  }

  override def next(): InternalRow =
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    else if (rowWise != null) rowWise.next()
    else {
      val row = joined(logged(base + next), next - from, ready - from)
      next += 1
      row
    }

  /** Evaluates more of the rows that have arrived. False if more rows have to arrive first. */
  private def evaluateMore(): Boolean = !awaitsRows && next < count && {
    if (next == evaluator.until) {
      from = next
      isFirstPartition = false
    }
    evaluator.begin(from, isFirstPartition, complete)
    val open = evaluator.until == count && !complete
    ready = if (open) math.max(next, from + evaluator.complete) else evaluator.until
    awaitsRows = open
    if (open) oldest = from + evaluator.oldest(ready - from)
    if (ready > next) {
      val begin = System.nanoTime()
      val first = surroundings.firstOf(base + next, base + ready)
      val until = surroundings.endOf(first, base + ready)
      evaluator.evaluate((first - base).toInt - from, (until - base).toInt - from)
      task.measures.addArrayTime(System.nanoTime() - begin)
      stopAtFailure()
      joined.begin(evaluator.writers(types))
    }
    ready > next
  }

  /** Hands out only the rows before a row that fails. The error is thrown when the failed row is requested. */
  private def stopAtFailure(): Unit = {
    val failsAt = evaluator.failsAt
    if (failsAt < ready - from) {
      ready = from + failsAt
      awaitsRows = false
      if (ready == next) throw evaluator.failure
    }
  }

  /** Reads more rows. False if there are none, or if row-wise evaluation has taken over. */
  private def fill(): Boolean = !complete && {
    resources.stopIfCancelled()
    dropUnreached()
    val wanted = count + math.max(FewestRows, count).toLong
    var unplaced: InternalRow = null
    while (unplaced == null && count < wanted && rows.hasNext) {
      val row = rows.next()
      if (!add(row.asInstanceOf[UnsafeRow])) unplaced = row
    }
    if (unplaced != null) handOver(Iterator(unplaced))
    else {
      complete = !rows.hasNext
      if (next < count && !prepare()) handOver(Iterator.empty)
    }
    rowWise == null
  }

  /** Releases the rows that no later frame reaches, in multiples of 64, because words of validity bits cannot be split. */
  private def dropUnreached(): Unit = {
    val dropped = oldest & -64
    columns.drop(dropped, count)
    starts = starts.get(dropped, math.max(dropped, count))
    changes = changes.get(dropped, math.max(dropped, count))
    base += dropped
    count -= dropped
    next -= dropped
    ready -= dropped
    oldest -= dropped
    from = math.max(0, from - dropped)
    log.release(base)
  }

  /** Adds a row. False if there is no memory for the row, which is then not added. */
  private def add(row: UnsafeRow): Boolean = (count < room || grow()) && {
    try
      reader.read(row, columns, count) && {
        log.append(row)
        val key = grouping.key(row)
        if (!started || !grouping.same(key, grouping.current)) {
          grouping.current.copyFrom(key)
          started = true
          starts.set(count)
        }
        if (peers != null && peers.isChange(row)) changes.set(count)
        count += 1
        true
      }
    catch { case _: SparkOutOfMemoryError => false }
  }

  private def grow(): Boolean = {
    val size = math.max(FewestRows, math.min(2L * room, MostRows.toLong).toInt)
    val granted = size > room && acquire((size - room) * (columns.width * LongColumns.bytesAValue + IntBytes))
    if (granted) {
      columns.resize(size)
      numbers = Array.range(0, size)
      room = size
    }
    granted
  }

  private def prepare(): Boolean = {
    freeMemory(evaluatorBytes)
    val before = getUsed
    val order = new ArrivalOrder(columns, count, if (window.readsKeys) 0 else -1, starts, changes, numbers)
    val found = window.evaluator(
      new SortedColumns(order, columns, 0, keys.size, reader.inputsFailed, acquire),
      around,
      task.measures
    )
    evaluatorBytes = getUsed - before
    found.foreach { made =>
      evaluator = made
      evaluator.begin(from, isFirstPartition, complete)
      awaitsRows = false
    }
    found.isDefined
  }

  private def handOver(unplaced: Iterator[InternalRow]): Unit = {
    freeColumns()
    val kept = (from until count).iterator.map { place =>
      if (place % ReleaseEvery == 0) log.release(base + place)
      logged(base + place)
    }
    val ofRest = if (isFirstPartition) surroundings else surroundings.copy(before = PartialAggregate.None)
    rowWise = fallBack(kept ++ unplaced ++ rows, next - from, ofRest.from(base + from))
  }

  private def freeColumns(): Unit = {
    columns = null
    evaluator = null
    releaseAll()
  }

  /** Releases memory and files, and reports the measurements. Later calls do nothing. */
  def close(): Unit = if (!closed) {
    closed = true
    task.measures.reportMemory(peakHeapMemory + log.peakMemory, log.spilledBytes)
    freeColumns()
    log.close()
  }

}

private[execution] object PresortedArrays {

  /** The minimum number of rows that are read at a time. */
  final val FewestRows = 4096

  private val MostRows = Int.MaxValue - 16
  private val IntBytes = 4L
  private val ReleaseEvery = 1024
}
