package org.slidewise.spark.execution.sorting

import org.apache.spark.memory.{MemoryConsumer, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils

import org.slidewise.core.selection.HeapBudget
import org.slidewise.spark.execution.rows.{LogRows, RowLog}
import org.slidewise.spark.execution.task.{HeapMemory, MeasuredResource, TaskResources}

/**
 * Sorts a task's rows by partition key and, within it, by the order columns. Rows that tie stay in the order in which they came,
 * or in the order in which Spark leaves them, see [[SortSpec.nullsMoveTies]].
 *
 * Spark sorts by comparing rows. This class takes the keys of each row as 64 bits, partitions the rows by key, and sorts each
 * partition by radix. It copies each row once, into pages, and never moves it. If rows need room for results, it copies each row
 * twice: once to add the room, and once into pages.
 *
 * Memory: the rows, in pages of the log. On the heap, for each row its keys, its inputs and an address; a copy of each partition
 * key, where these are hashed, and of each distinct value, where a function needs them; and while sorting
 * [[RadixOrder.bytesARow]] more. If the task does not have that memory, all rows go to Spark's external sorter.
 *
 * @param input
 *   the attributes of the input rows
 * @param results
 *   attributes for whose values each row gets room after its own, all of fixed size; they come as zeros, for a [[RowFinisher]] to
 *   write
 * @param inputs
 *   the further columns to read of each row
 * @param keyNumbers
 *   the numbers of partition keys that are hashed
 */
final private[execution] class PartitionSorter(
    resources: TaskResources,
    input: Seq[Attribute],
    spec: SortSpec,
    results: Seq[Attribute] = Nil,
    inputs: Seq[InputColumn] = Nil,
    keyNumbers: => GroupNumbers = new GroupNumbers
) extends HeapMemory(resources)
    with MeasuredResource {
  import PartitionSorter._

  private[this] val layout = input ++ results
  private[this] val log = RowLog.of(layout, resources)
  private[this] val laidOut: UnsafeRow => UnsafeRow =
    if (results.isEmpty) identity[UnsafeRow]
    else {
      val joiner = GenerateUnsafeRowJoiner.create(
        DataTypeUtils.fromAttributes(input),
        DataTypeUtils.fromAttributes(results)
      )
      val blank = new UnsafeRow(results.size)
      val size = UnsafeRow.calculateBitSetWidthInBytes(results.size) + 8 * results.size
      blank.pointTo(new Array[Byte](size), size)
      row => joiner.join(row, blank)
    }

  private[this] var hashed = if (spec.hashes) new HashedKeys(spec, input, budget, keyNumbers) else null
  private[this] val groupColumns = if (spec.hashes) 1 else 0
  private[this] val reader = new ColumnReader(spec.columns, inputs, input, acquire(_))
  private[this] val firstOrder = groupColumns + spec.partitionColumns
  private[this] val firstInput = groupColumns + spec.columns.size

  private[this] var columns = new LongColumns(firstInput + inputs.size)

  // Where rows lie can be told from their numbers if all are of one size, and else is noted.
  private[this] val noted = log.bytesARow < 0
  private[this] var addresses = Array.emptyLongArray
  private[this] var room = 0
  private[this] var count = 0

  private[this] var external: ExternalSort = _
  private[this] var sorted: SortedRows = _

  /** The rows in order; the same object each time. */
  def sort(rows: Iterator[InternalRow]): Iterator[InternalRow] = sort(rows, (_, _) => None).rows

  /**
   * The rows in order, each with room for its results; the same object each time.
   *
   * @param finisher
   *   makes a finisher of the sorted rows; called only if they could be sorted in memory
   * @param grouper
   *   makes a finisher of the rows in the order in which they came, so that they need not be sorted; they are sorted if it is
   *   none, or returns none
   */
  def sort(
      rows: Iterator[InternalRow],
      finisher: (SortedColumns, RowPlaces) => Option[RowFinisher],
      grouper: Option[Grouper] = None
  ): SortResult = {
    var unplaced: UnsafeRow = null
    while (unplaced == null && log.spilledBytes == 0 && rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      if (!add(row)) unplaced = row
    }
    // Asking for memory may be what makes the log spill.
    val inMemory = unplaced == null && log.spilledBytes == 0 &&
      acquire(count * RadixOrder.bytesARow(spec.compares)) && log.spilledBytes == 0
    if (inMemory) finishInMemory(finisher, grouper)
    else SortResult(sortExternally(Option(unplaced).iterator ++ rows), finished = false)
  }

  private def finishInMemory(
      finisher: (SortedColumns, RowPlaces) => Option[RowFinisher],
      grouper: Option[Grouper]
  ): SortResult = {
    log.freeze(() => spillRows()) // before more memory is asked for
    val where = if (noted) new NotedAddresses(log, addresses) else new ComputedAddresses(log)
    val (places, found) = grouper.flatMap(inGroups(where, _)).getOrElse(inPlace(where, finisher))
    if (found.isEmpty) freeMemory(getUsed - addresses.length * LongBytes - count * (IntBytes + 1))
    columns = null
    sorted = new SortedRows(log, places, found.getOrElse(places), count, () => close(), resources)
    addresses = null
    SortResult(sorted, found.isDefined)
  }

  /** The rows in the window's order, and their finisher. */
  private def inPlace(
      where: RowAddresses,
      finisher: (SortedColumns, RowPlaces) => Option[RowFinisher]
  ): (RowPlaces, Option[RowFinisher]) = {
    val order = inOrder(where)
    val sorted = columnsIn(order)
    freeWorkspace()
    val places = new RowPlaces(log, where, order.rows)
    places -> finisher(sorted, places)
  }

  /** The rows in the order in which they came, and their finisher; none if they must be sorted. */
  private def inGroups(where: RowAddresses, grouper: Grouper): Option[(RowPlaces, Option[RowFinisher])] = {
    val before = getUsed
    val order = ArrivalOrder.ofGroups(columns, count)
    val places = new RowPlaces(log, where, order.rows)
    val found = groupsOfRows.flatMap(grouper(columnsIn(order), _, places))
    if (found.isDefined) freeWorkspace() else freeMemory(getUsed - before)
    found.map(finisher => places -> Some(finisher))
  }

  private def groupsOfRows: Option[PartitionGroups] =
    if (hashed != null) PartitionGroups.ofNumbers(columns(0), count, hashed.size, budget)
    else
      PartitionGroups.ofColumns(columns, 0 until firstOrder, count, budget, () => resources.stopIfCancelled())

  private def budget: HeapBudget = new HeapBudget {
    override def acquire(bytes: Long): Boolean = PartitionSorter.this.acquire(bytes)
    override def release(bytes: Long): Unit = freeMemory(bytes)
  }

  private def columnsIn(order: RowOrder): SortedColumns =
    new SortedColumns(
      order,
      columns,
      firstOrder,
      firstInput,
      reader.inputsFailed,
      acquire,
      if (hashed == null) null else hashed.ranks
    )

  /** Releases the memory that only reading and sorting needed. */
  private def freeWorkspace(): Unit = {
    freeMemory(count * RadixOrder.scratchBytesARow(spec.compares))
    if (hashed != null) hashed.release()
    hashed = null
    freeMemory(reader.dropDictionaries())
  }

  /**
   * Adds a row.
   *
   * @return
   *   false if there is no memory for the row, which is then not added
   */
  private def add(row: UnsafeRow): Boolean = {
    if (count % CheckEvery == 0) resources.stopIfCancelled()
    (count < room || grow()) && {
      try {
        val placed = (hashed == null || hashed.number(row, columns, count)) && reader.read(
          row,
          columns,
          groupColumns,
          count
        ) && {
          log.append(laidOut(row))
          true
        }
        if (placed) {
          if (noted) addresses(count) = log.newestAddress
          count += 1
        }
        placed
      } catch { case _: SparkOutOfMemoryError => false }
    }
  }

  private def grow(): Boolean = {
    val size = if (count == 0) FirstRows else math.min(count * 2L, MostRows.toLong).toInt
    val bytesARow = columns.width * LongColumns.bytesAValue + (if (noted) LongBytes else 0L)
    val copied = room * LongBytes // one column at a time is there twice
    val granted = size > count && acquire((size - count) * bytesARow + copied)
    if (granted) {
      columns.resize(size)
      if (noted) addresses = java.util.Arrays.copyOf(addresses, size)
      room = size
      freeMemory(copied)
    }
    granted
  }

  private def inOrder(where: RowAddresses): RadixOrder = {
    if (hashed != null) hashed.rank(columns, count)
    val partition = Seq.range(0, firstOrder).map(SortColumn(_, nullsFirst = true))
    val order = spec.columns.drop(spec.partitionColumns).zipWithIndex.map { case (key, i) =>
      SortColumn(firstOrder + i, key.nullsFirst)
    }
    val ties = if (spec.compares) Some(comparator(where, spec.order)) else None
    val peerTies = if (spec.compares) Some(comparator(where, spec.order.take(spec.peers))) else None
    val peers = new PeerOrder(order.take(spec.peers).map(_.column), peerTies)
    new RadixOrder(
      columns,
      count,
      partition,
      order,
      ties,
      peers,
      spec.nullsMoveTies,
      () => resources.stopIfCancelled()
    )
  }

  private def comparator(where: RowAddresses, by: Seq[SortOrder]): java.util.Comparator[Integer] =
    new RowComparator(log, where, RowOrdering.create(by, layout), () => resources.stopIfCancelled())

  private def sortExternally(rest: Iterator[InternalRow]): Iterator[InternalRow] = {
    freeArrays()
    external = new ExternalSort(
      layout,
      spec.partition.map(SortOrder(_, Ascending)) ++ spec.order,
      resources,
      spec.radixInSpark
    )
    // The one row that is not in the log lies in the child's buffer, which the child does not touch until asked.
    new LogRows(log, 0L, log.end, releases = true).foreach(external.insert(_))
    log.close()
    rest.foreach(row => external.insert(laidOut(row.asInstanceOf[UnsafeRow])))
    external.sort()
  }

  /** The most memory held at any time, in bytes. */
  def peakMemory: Long = peakHeapMemory + log.peakMemory + (if (external == null) 0L else external.peakMemory)

  /** Bytes written to files, except for those of Spark's sorter, which counts them with the task. */
  def spilledBytes: Long =
    log.spilledBytes + (if (sorted == null) 0L else sorted.spilledBytes) +
      (if (external == null) 0L else external.spilledBytes)

  private def freeArrays(): Unit = {
    columns = null
    addresses = null
    hashed = null
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
    free()
  }

  /** Spills the rows that are still to come, once the rows are sorted. Before, the log spills by itself. */
  override def spill(size: Long, trigger: MemoryConsumer): Long = {
    val before = getUsed
    spillRows()
    before - getUsed
  }

  /** Releases the memory of both pools, whichever was asked for. */
  private def spillRows(): Unit = if (sorted != null && sorted.canSpill) {
    val held = getUsed + log.getUsed
    sorted.spill().foreach { bytes =>
      resources.countSpill(held, bytes)
      free()
    }
  }
}

private[execution] object PartitionSorter {

  /** Makes a finisher of the rows in the order in which they came; none if it cannot. */
  type Grouper = (SortedColumns, PartitionGroups, RowPlaces) => Option[RowFinisher]

  private val IntBytes = 4L
  private val LongBytes = 8L
  private val FirstRows = 1024
  private val MostRows = Int.MaxValue - 16
  private val CheckEvery = 4096
}
