package org.slidewise.spark.execution.sorting

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.core.selection.HeapBudget
import org.slidewise.spark.execution.rows.RowFile
import org.slidewise.spark.execution.task.{HeapMemory, MeasuredResource, TaskResources}

/**
 * Sorts a task's rows by partition key and, within it, by the order columns. Ties keep the order of arrival, or the order in
 * which Spark leaves them: see [[SortSpec.nullsMoveTies]].
 *
 * Spark sorts by comparing rows. This class takes the keys of each row as 64 bits, partitions the rows by key, and sorts each
 * partition by radix. It never moves a row. The fields that are not stored in columns (see [[StoredFields]]) are copied into
 * pages once.
 *
 * Memory: the fields that are not stored in columns, as rows in pages of a log. On the heap: for each row its keys, its inputs
 * and, if rows differ in size, an address; a copy of each hashed partition key, and of each distinct value that a function needs;
 * and [[RadixOrder.bytesARow]] for each row while sorting. If the task does not have that memory, all rows go to Spark's external
 * sorter.
 *
 * @param input
 *   the attributes of the input rows
 * @param results
 *   the attributes of results, all of fixed size
 * @param inputs
 *   further columns to read from each row
 * @param wholeRows
 *   whether the log keeps whole rows, for a caller that reads whole rows
 * @param keyNumbers
 *   the numbers of hashed partition keys
 */
final private[execution] class PartitionSorter(
    resources: TaskResources,
    input: Seq[Attribute],
    spec: SortSpec,
    results: Seq[Attribute] = Nil,
    inputs: Seq[InputColumn] = Nil,
    wholeRows: Boolean = true,
    keyNumbers: => GroupNumbers = new GroupNumbers
) extends HeapMemory(resources)
    with MeasuredResource {
  import PartitionSorter._

  private[this] val rows = new ArrivingRows(resources, input, spec, inputs, keyNumbers, wholeRows, budget)
  private[this] val log = rows.log
  private[this] var external: ExternalSort = _
  private[this] var sorted: SortedRows = _
  private[this] var moved: RowFile = _
  private[this] var movedBytes = 0L

  private def budget: HeapBudget = new HeapBudget {
    override def acquire(bytes: Long): Boolean = PartitionSorter.this.acquire(bytes)
    override def release(bytes: Long): Unit = freeMemory(bytes)
  }

  /** The rows in order. The iterator reuses the row object. */
  def sort(arriving: Iterator[InternalRow]): Iterator[InternalRow] = sort(arriving, _ => None).rows

  /**
   * The rows in order, with results if the rows could be sorted in memory. The iterator reuses the row object.
   *
   * @param evaluator
   *   evaluates the results of sorted rows; called only if the rows could be sorted in memory
   * @param grouper
   *   evaluates the results of the rows in the order of arrival, without a sort; if there is no grouper, or if it returns none,
   *   the rows are sorted
   */
  def sort(
      arriving: Iterator[InternalRow],
      evaluator: SortedColumns => Option[SortedResults],
      grouper: Option[Grouper] = None
  ): SortResult = {
    val left = rows.take(arriving)
    // Acquiring memory may itself make the log spill.
    val inMemory = !left.hasNext && log.spilledBytes == 0 &&
      acquire(rows.count * RadixOrder.bytesARow(spec.compares)) && log.spilledBytes == 0
    if (inMemory) inOrder(evaluator, grouper) else SortResult(sortExternally(left), None)
  }

  private def inOrder(
      evaluator: SortedColumns => Option[SortedResults],
      grouper: Option[Grouper]
  ): SortResult = {
    log.freeze(() => spillRows()) // before acquiring more memory
    val (order, found) = grouper.flatMap(inGroups(_)).getOrElse(inSortedOrder(evaluator))
    val stored = new StoredRows(rows.fields, rows.columns, log, rows.places, order.rows)
    if (found.isEmpty && rows.fields.areWhole)
      freeMemory(getUsed - rows.placesBytes - rows.count * (IntBytes + 1))
    sorted = new SortedRows(
      stored,
      found.orNull,
      if (found.isDefined) results.map(_.dataType) else Nil,
      () => close(),
      () => log.close(),
      resources
    )
    rows.dropArrays()
    SortResult(sorted, found.map(_ => sorted))
  }

  private def inSortedOrder(
      evaluator: SortedColumns => Option[SortedResults]
  ): (RowOrder, Option[SortedResults]) = {
    val order = radixOrder()
    val columns = columnsIn(order)
    freeWorkspace()
    val before = getUsed
    val found = evaluator(columns)
    if (found.isEmpty) freeMemory(math.max(0L, getUsed - before))
    order -> found
  }

  /** The rows in the order of arrival, and their results; none if the rows must be sorted. */
  private def inGroups(grouper: Grouper): Option[(RowOrder, Option[SortedResults])] = {
    val before = getUsed
    val order = ArrivalOrder.ofGroups(rows.columns, rows.count)
    val found = groupsOfRows.flatMap(grouper(columnsIn(order), _))
    if (found.isDefined) freeWorkspace() else freeMemory(getUsed - before)
    found.map(results => order -> Some(results))
  }

  private def groupsOfRows: Option[PartitionGroups] =
    if (rows.hashed != null) PartitionGroups.ofNumbers(rows.columns(0), rows.count, rows.hashed.size, budget)
    else
      PartitionGroups.ofColumns(
        rows.columns,
        0 until rows.firstOrder,
        rows.count,
        budget,
        () => resources.stopIfCancelled()
      )

  private def columnsIn(order: RowOrder): SortedColumns =
    new SortedColumns(
      order,
      rows.columns,
      rows.firstOrder,
      rows.firstInput,
      rows.inputsFailed,
      acquire,
      if (rows.hashed == null) null else rows.hashed.ranks
    )

  /** Releases the memory that only reading and sorting needed. */
  private def freeWorkspace(): Unit = {
    freeMemory(rows.count * RadixOrder.scratchBytesARow(spec.compares))
    rows.dropNumbers()
  }

  private def radixOrder(): RadixOrder = {
    if (rows.hashed != null) rows.hashed.rank(rows.columns, rows.count)
    val partition = Seq.range(0, rows.firstOrder).map(SortColumn(_, nullsFirst = true))
    val order = spec.columns.drop(spec.partitionColumns).zipWithIndex.map { case (key, i) =>
      SortColumn(rows.firstOrder + i, key.nullsFirst)
    }
    val clusters = rows.cluster(if (spec.nullsMoveTies) Nil else partition ++ order)
    val where = rows.places
    val ties = if (spec.compares) Some(comparator(where, spec.order)) else None
    val peerTies = if (spec.compares) Some(comparator(where, spec.order.take(spec.peers))) else None
    val peers = new PeerOrder(order.take(spec.peers).map(_.column), peerTies)
    new RadixOrder(
      rows.columns,
      clusters,
      partition,
      order,
      ties,
      peers,
      spec.nullsMoveTies,
      () => resources.stopIfCancelled()
    )
  }

  private def comparator(where: RowAddresses, by: Seq[SortOrder]): java.util.Comparator[Integer] =
    new RowComparator(
      log,
      where,
      RowOrdering.create(by, rows.fields.loggedAttributes),
      () => resources.stopIfCancelled()
    )

  private def sortExternally(left: Iterator[InternalRow]): Iterator[InternalRow] = {
    val taken = if (rows.fields.areWhole) rows.inOrderOfArrival() else fromFile()
    freeArrays()
    val order = spec.partition.map(SortOrder(_, Ascending)) ++ spec.order
    if (order.isEmpty) taken ++ left else sortExternally(taken, left, order)
  }

  private def sortExternally(
      taken: Iterator[InternalRow],
      left: Iterator[InternalRow],
      order: Seq[SortOrder]
  ): Iterator[InternalRow] = {
    external = new ExternalSort(input, order, resources, spec.radixInSpark)
    taken.foreach(row => external.insert(row.asInstanceOf[UnsafeRow]))
    log.close()
    left.foreach(row => external.insert(row.asInstanceOf[UnsafeRow]))
    external.sort()
  }

  /** Moves the rows to a file and reads them from there, because Spark's sorter needs the memory of the columns. */
  private def fromFile(): Iterator[InternalRow] = {
    moved = new RowFile
    val held = getUsed + log.getUsed
    val count = rows.count
    rows.inOrderOfArrival().foreach(row => moved.write(row.asInstanceOf[UnsafeRow]))
    movedBytes = moved.startReading()
    log.close()
    resources.countSpill(held, movedBytes)
    val row = new UnsafeRow(input.size)
    Iterator.range(0, count).map { _ =>
      moved.read(row)
      row
    }
  }

  /** The most memory held at any time, in bytes. */
  def peakMemory: Long = peakHeapMemory + log.peakMemory + (if (external == null) 0L else external.peakMemory)

  /** Bytes written to files, except for those of Spark's sorter, which reports its spills to the task. */
  def spilledBytes: Long =
    log.spilledBytes + movedBytes + (if (sorted == null) 0L else sorted.spilledBytes) +
      (if (external == null) 0L else external.spilledBytes)

  private def freeArrays(): Unit = {
    rows.dropArrays()
    releaseAll()
  }

  private def free(): Unit = {
    log.close()
    freeArrays()
  }

  /** Releases all memory and files. */
  def close(): Unit = {
    if (sorted != null) sorted.close()
    if (external != null) external.close()
    if (moved != null) moved.close()
    free()
  }

  /** Spills the rows that have not been read, once the rows are sorted. Before the sort, the log spills by itself. */
  override def spill(size: Long, trigger: MemoryConsumer): Long = {
    val before = getUsed
    spillRows()
    before - getUsed
  }

  /** Spills the sorted rows, and releases memory of both pools, whichever the memory manager asks for. */
  private def spillRows(): Unit = if (sorted != null && sorted.canSpill) {
    val held = getUsed + log.getUsed
    sorted.spill().foreach { bytes =>
      resources.countSpill(held, bytes)
      log.closeBut(sorted.current)
      freeArrays()
    }
  }
}

private[execution] object PartitionSorter {

  /** Evaluates the results of the rows in the order of arrival; returns none if the rows must be sorted. */
  type Grouper = (SortedColumns, PartitionGroups) => Option[SortedResults]

  private val IntBytes = 4L
}
