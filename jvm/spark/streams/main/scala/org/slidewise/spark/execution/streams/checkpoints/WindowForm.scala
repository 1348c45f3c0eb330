package org.slidewise.spark.execution.streams.checkpoints

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  GenericInternalRow,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.execution.streaming.state.{ReadStateStore, StateStore, UnsafeRowPair}

import org.slidewise.spark.execution.streams._
import org.slidewise.spark.expressions.RowStructure

/**
 * The state of a window with OVER; see [[StateCells]]. The index of timers and the counts of a partition are not moved. They are
 * computed again from the entries of the partition's keys.
 *
 * @param frames
 *   the frames in the order of their sections
 * @param input
 *   the structure of the rows that wait
 * @param timeField
 *   the ordinal of the event time in such a row
 * @param buffers
 *   the structure of the aggregation buffers of each frame; none for a frame without buffers
 */
final private[checkpoints] class WindowForm(
    val schemas: StoreSchemas,
    val frames: Seq[StoredFrame],
    val input: RowStructure,
    val timeField: Int,
    val buffers: Seq[Option[RowStructure]]
) extends StateForm {

  override def keyFields: Range = StateCells.PrefixColumns until schemas.key.size - 1

  override def hasKey(key: UnsafeRow): Boolean = WindowForm.hasKey(key.getInt(0))

  override def scan(store: ReadStateStore): PartitionScan = new WindowScan(this, store)

  /** The progress of a sweep, as the numbers of the partition's cell. */
  override def carried(pair: UnsafeRowPair, store: ReadStateStore): UnsafeRowPair =
    if (pair.key.getInt(0) != StateCells.Partition) null
    else {
      val state = PartitionState.stored(new ReadCells(store, this))
      val value = UnsafeProjection
        .create(StateCells.valueSchema)
        .apply(InternalRow(state.sweptFor, state.nextGroup.toLong, Array.emptyByteArray))
      new UnsafeRowPair().withRows(pair.key, value)
    }

  override def writer(store: StateStore): PartitionWriter = new WindowWriter(this, store)
}

private[checkpoints] object WindowForm {
  def hasKey(section: Int): Boolean = section != StateCells.Index && section != StateCells.Partition
}

/** Reads cells of a partition. */
final private[checkpoints] class ReadCells(store: ReadStateStore, form: WindowForm) extends PartitionCells {
  private[this] val types = form.schemas.key.fields.map(_.dataType)
  private[this] val ofPartition = UnsafeProjection.create(types)(new GenericInternalRow(types.length)).copy()
  private[this] val numberField = types.length - 1
  private[this] val structure = form.schemas.valueStructure

  /** The value of a cell of the same key as `key`, or null. Changes `key`. */
  def get(key: UnsafeRow, section: Int, bucket: Long, number: Long): UnsafeRow = {
    key.setInt(0, section)
    key.setLong(1, bucket)
    key.setLong(numberField, number)
    val value = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME)
    if (value == null) null else structure.check(value)
  }

  override def dataOf(section: Int, bucket: Long, number: Long): Array[Byte] = {
    val value = get(ofPartition, section, bucket, number)
    if (value == null) null else value.getBinary(StateCells.DataField)
  }

  override def putData(section: Int, bucket: Long, number: Long, data: Array[Byte]): Unit = readOnly()
  override def removeData(section: Int, bucket: Long, number: Long): Unit = readOnly()

  private def readOnly() = throw new UnsupportedOperationException("the cells of a checkpoint are only read")
}

/** Writes a new partition of a window's state, with its index of timers and its counts. */
final private class WindowWriter(form: WindowForm, store: StateStore) extends PartitionWriter(store) {
  private[this] val columns =
    form.keyFields.map(i => AttributeReference(form.schemas.key(i).name, form.schemas.key(i).dataType)())
  private[this] val cells = new StateCells(store, columns, columns)
  private[this] val index = new TimerIndex(cells)
  private[this] val partition = new PartitionState(cells, None)
  private[this] var bytes = 0L

  // If old partitions differ in the timeout, the sweep starts again.
  private[this] var sweptFor = PartitionState.Never
  private[this] var nextGroup = StateCells.Groups
  private[this] var isFirst = true

  override def put(key: UnsafeRow, value: UnsafeRow): Unit = {
    val section = key.getInt(0)
    if (section == StateCells.Partition) sweep(value.getLong(0), value.getLong(1).toInt)
    else {
      super.put(key, value)
      bytes += key.getSizeInBytes.toLong + value.getSizeInBytes
      if (section == StateCells.Header)
        header(StoredHeader.read(value.getBinary(StateCells.DataField), form.frames))
      else if (section == StateCells.Timers) index.add(key.getLong(1))
    }
  }

  private def header(header: StoredHeader): Unit = {
    partition.keys += 1
    partition.waitingRows += header.waitingRows
    if (header.oldest != Long.MaxValue) partition.oldestWaiting.add(header.oldest)
  }

  private def sweep(timeout: Long, group: Int): Unit = {
    nextGroup = if (isFirst || timeout == sweptFor) math.min(nextGroup, group) else 0
    sweptFor = timeout
    isFirst = false
  }

  override def finish(): Unit = {
    index.flush()
    partition.sweptFor = sweptFor
    partition.bytes = bytes + cells.grown
    partition.nextGroup = nextGroup
    partition.save()
  }
}
