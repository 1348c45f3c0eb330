package org.slidewise.spark.execution.sorting

import java.util.Arrays

import org.apache.spark.memory.{MemoryMode, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.core.selection.HeapBudget
import org.slidewise.spark.execution.blocks.{BlockDecoder, BlockLayout, DecodedRows, RowsInBlocks}
import org.slidewise.spark.execution.rows.{LogRows, RowChunk, RowLog}
import org.slidewise.spark.execution.task.TaskResources

/**
 * The rows of a sorter as they arrive, with their columns. Blocks are read whole: columns that are derived from one field are
 * copied, and the logged fields of all rows are written at once.
 *
 * Memory: see [[PartitionSorter]].
 *
 * @param inputs
 *   further columns to read from each row
 * @param wholeRows
 *   whether the log holds whole rows
 */
final private[sorting] class ArrivingRows(
    resources: TaskResources,
    input: Seq[Attribute],
    spec: SortSpec,
    inputs: Seq[InputColumn],
    keyNumbers: => GroupNumbers,
    wholeRows: Boolean,
    budget: HeapBudget
) {
  import ArrivingRows._

  private[this] val groupColumns = if (spec.hashes) 1 else 0

  /** The places of the first order column, and of the first input, among the columns. */
  val firstOrder: Int = groupColumns + spec.partitionColumns
  val firstInput: Int = groupColumns + spec.columns.size

  val fields: StoredFields = {
    val keysAndInputs = Seq.fill(groupColumns)(None) ++
      spec.columns.map(key => FieldColumn.of(key.prefix, key.flip, input)) ++
      inputs.map(column => FieldColumn.of(column.value, column.flip, input))
    val compared = if (spec.compares) AttributeSet(spec.order) else AttributeSet.empty
    // Columns are on the heap, which may be small if Spark allocates its pages off-heap.
    val addsColumns = resources.memory.getTungstenMemoryMode == MemoryMode.ON_HEAP
    new StoredFields(
      input,
      keysAndInputs,
      attribute => wholeRows || compared.contains(attribute),
      addsColumns
    )
  }

  val log: RowLog = RowLog.of(fields.loggedAttributes, resources)

  private[this] var numbersOfKeys = if (spec.hashes) new HashedKeys(spec, input, budget, keyNumbers) else null
  private[this] var values = new LongColumns(fields.columns.size)

  // The addresses of rows of one size are computed from their numbers. Other addresses are noted.
  private[this] val logs = fields.logged.nonEmpty
  private[this] val noted = logs && log.bytesARow < 0
  private[this] var addresses = Array.emptyLongArray
  private[this] var room = 0
  private[this] var taken = 0

  // The columns that are derived from one field. `reader` reads the others.
  private[this] val ofFields = fields.columns.indices.filter(fields.columns(_).isDefined).toArray
  private[this] val copied = ofFields.map(fields.columns(_).get)
  private[this] val reader = readerOfOthers()

  private[this] lazy val toLog: UnsafeRow => UnsafeRow =
    if (fields.areWhole || !logs) identity
    else {
      val logged = UnsafeProjection.create(fields.loggedAttributes, input)
      logged(_)
    }

  private[this] lazy val logLayout =
    new DecodedRows(BlockLayout.of(input), fields.logged, if (noted) RowChunk.SizeBytes else 0)

  /** The number of rows. */
  def count: Int = taken
  def columns: LongColumns = values

  /** The numbers of keys that are hashed; null if none are. */
  def hashed: HashedKeys = numbersOfKeys

  def inputsFailed: Boolean = reader != null && reader.inputsFailed

  /**
   * Takes rows, as long as there is memory for them.
   *
   * @return
   *   the rows that have not been taken
   */
  def take(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val blocks = rows match {
      case inBlocks: RowsInBlocks => inBlocks
      case _                      => null
    }
    var unplaced: UnsafeRow = null
    var hasMemory = true
    while (hasMemory && log.spilledBytes == 0 && rows.hasNext)
      if (blocks != null && blocks.isBlockNext) hasMemory = takeBlock(blocks)
      else {
        if (taken % CheckEvery == 0) resources.stopIfCancelled()
        val row = rows.next().asInstanceOf[UnsafeRow]
        hasMemory = placed(add(row))
        if (!hasMemory) unplaced = row
      }
    // The row without memory is in the child's buffer, which the child overwrites only when the next row is requested.
    Option(unplaced).iterator ++ rows
  }

  private def takeBlock(rows: RowsInBlocks): Boolean = {
    resources.stopIfCancelled()
    val block = rows.nextBlock()
    val found = placed(addBlock(block, rows))
    if (!found) rows.giveBack()
    found
  }

  /** A reader of the keys and inputs that are not derived from one field; null if there are none. */
  private def readerOfOthers(): ColumnReader = {
    val keys = spec.columns.indices.filter(i => fields.columns(groupColumns + i).isEmpty)
    val others = inputs.indices.filter(i => fields.columns(firstInput + i).isEmpty)
    if (keys.isEmpty && others.isEmpty) null
    else
      new ColumnReader(
        keys.map(spec.columns),
        others.map(inputs),
        input,
        budget.acquire(_),
        keys.map(groupColumns + _) ++ others.map(firstInput + _)
      )
  }

  /** Runs `add`. Returns false if there is no memory for the rows. */
  private def placed(add: => Boolean): Boolean =
    try add
    catch { case _: SparkOutOfMemoryError => false }

  private def add(row: UnsafeRow): Boolean = hasRoom(1) && read(row, taken, numbersOfKeys) && {
    var i = 0
    while (i < copied.length) {
      copied(i).read(row, values, ofFields(i), taken)
      i += 1
    }
    if (logs) log.append(toLog(row))
    if (noted) addresses(taken) = log.newestAddress
    taken += 1
    true
  }

  private def addBlock(block: BlockDecoder, rows: RowsInBlocks): Boolean =
    hasRoom(block.count) && {
      copied.indices.foreach(i => copied(i).read(block, values, ofFields(i), taken))
      readOthers(block, rows)
    } && {
      if (logs) writeToLog(block)
      taken += block.count
      true
    }

  /** Reads the columns of a block that are not derived from one field. Returns false if there is no memory for them. */
  private def readOthers(block: BlockDecoder, rows: RowsInBlocks): Boolean = {
    val ofBlock = numbersOfKeys != null && numbersOfKeys.areFields
    val ofRows = if (ofBlock) null else numbersOfKeys
    (!ofBlock || numbersOfKeys.number(block, values, taken)) && {
      var row = 0
      if (ofRows == null && reader == null) row = block.count
      while (row < block.count && read(rows.rowAt(row), taken + row, ofRows)) row += 1
      row == block.count
    }
  }

  private def read(row: UnsafeRow, at: Int, keys: HashedKeys): Boolean =
    (keys == null || keys.number(row, values, at)) && (reader == null || reader.read(row, values, at))

  private def writeToLog(block: BlockDecoder): Unit = {
    logLayout.measure(block)
    val first = log.reserve(block.count, logLayout.starts)
    logLayout.write(block, log.pageOf(first), log.placeOf(first))
    var row = 0
    if (noted) while (row < block.count) {
      addresses(taken + row) = first + logLayout.starts(row)
      row += 1
    }
  }

  private def hasRoom(more: Int): Boolean = {
    var granted = true
    while (granted && room - taken < more) granted = grow()
    granted
  }

  private def grow(): Boolean = {
    val size = if (room == 0) FirstRows else math.min(room * 2L, MostRows.toLong).toInt
    val bytesARow = values.width * LongColumns.bytesAValue + (if (noted) LongBytes else 0L)
    val copied = room * LongBytes // resizing copies one column at a time
    val granted = size > room && budget.acquire((size - room) * bytesARow + copied)
    if (granted) {
      values.resize(size)
      if (noted) addresses = Arrays.copyOf(addresses, size)
      room = size
      budget.release(copied)
    }
    granted
  }

  /**
   * Moves rows with similar keys together, if there are enough rows for this to pay. Returns the start of each cluster, and the
   * end of the last.
   */
  def cluster(by: Seq[SortColumn]): Array[Int] =
    if (by.isEmpty || taken < RowClusters.ManyRows || fields.areWhole || logs && !noted) Array(0, taken)
    else {
      val clusters = new RowClusters(values, taken, by, () => resources.stopIfCancelled())
      clusters.move(values, addresses)
      clusters.starts
    }

  /** Addresses of the rows in the log; null if no row is logged. */
  def places: RowAddresses =
    if (!logs) null else if (noted) new NotedAddresses(log, addresses) else new ComputedAddresses(log)

  /** The memory of [[places]] beside the table of chunks, in bytes. */
  def placesBytes: Long = addresses.length * LongBytes

  /**
   * Iterates once over the rows in the order of arrival. The iterator reuses the row object, and releases the logged rows that it
   * has passed.
   */
  def inOrderOfArrival(): Iterator[InternalRow] = {
    val inLog = if (logs) new LogRows(log, 0L, taken.toLong, releases = true) else null
    if (fields.areWhole) inLog
    else {
      val number = Array(0)
      val addresses = if (logs) new NextAddress(inLog) else null
      val assembler = new RowAssembler(new StoredRows(fields, values, log, addresses, number), null, Nil)
      val row = new UnsafeRow(input.size)
      Iterator.range(0, taken).map { i =>
        if (i % CheckEvery == 0) resources.stopIfCancelled()
        number(0) = i
        assembler.prepare(0, 1)
        assembler.pointTo(row, 0)
        row
      }
    }
  }

  /** Releases the key numbers and dictionaries, which only reading and sorting need. */
  def dropNumbers(): Unit = {
    if (numbersOfKeys != null) numbersOfKeys.release()
    numbersOfKeys = null
    if (reader != null) budget.release(reader.dropDictionaries())
  }

  /** Drops the arrays, whose memory the sorter gives back. */
  def dropArrays(): Unit = {
    values = null
    addresses = null
    numbersOfKeys = null
  }
}

private object ArrivingRows {
  private val LongBytes = 8L
  private val FirstRows = 1024
  private val MostRows = Int.MaxValue - 16
  private val CheckEvery = 4096
}
