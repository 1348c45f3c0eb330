package org.slidewise.spark.execution.streams

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.streaming.state.{StateStore, UnsafeRowPair}
import org.apache.spark.sql.types._

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.expressions.RowStructure
import org.slidewise.spark.shims.SparkStreaming

/** The cells of one key's state: numbered, in sections. */
private[streams] trait KeyCells {

  /** The value of a cell, as [[StateCells.valueSchema]] has it, or null. */
  def get(section: Int, number: Long): UnsafeRow

  def put(section: Int, number: Long, low: Long, high: Long, data: Array[Byte]): Unit

  def remove(section: Int, number: Long): Unit

  /** The bytes of a cell that must exist. */
  final def data(section: Int, number: Long): Array[Byte] = {
    val value = get(section, number)
    if (value == null) throw new CorruptState(s"section $section has no cell $number")
    value.getBinary(StateCells.DataField)
  }
}

/** The cells of a state partition that do not belong to its keys: numbered, in sections and buckets. */
private[streams] trait PartitionCells {

  /** The bytes of a cell, or null. */
  def dataOf(section: Int, bucket: Long, number: Long): Array[Byte]

  def putData(section: Int, bucket: Long, number: Long, data: Array[Byte]): Unit

  def removeData(section: Int, bucket: Long, number: Long): Unit
}

/**
 * The cells of a state partition in a state store. A cell has bytes, and two numbers that describe the bytes.
 *
 * Schema, version 2: the key is (`section` int, `bucket` bigint, the partition keys, `number` bigint), the value (`low` bigint,
 * `high` bigint, `data` binary). The store can be scanned by section and bucket. Only headers and timers have buckets other than 0.
 */
final private[streams] class StateCells(
    store: StateStore,
    partitionSpec: Seq[Expression],
    input: Seq[Attribute]
) extends KeyCells
    with PartitionCells {
  import StateCells._

  private[this] val keyOf =
    UnsafeProjection.create(Literal(0) +: Literal(0L) +: partitionSpec :+ Literal(0L), input)
  private[this] val keyTypes = StateCells.keySchema(partitionSpec).map(_.dataType)
  private[this] val keyStructure = new RowStructure(keyTypes)
  private[this] val valueStructure = RowStructure.of(StateCells.valueSchema)
  private[this] val numberField = partitionSpec.size + PrefixColumns
  private[this] val writer = new UnsafeRowWriter(3, 256)
  private[this] val prefix = UnsafeProjection.create(Array[DataType](IntegerType, LongType))
  private[this] val ofPartition =
    UnsafeProjection.create(keyTypes.toArray)(new GenericInternalRow(keyTypes.size)).copy()
  private[this] var key: UnsafeRow = _
  private[this] var group = 0L
  private[this] var headerBytes = 0L
  private[this] var puts, removes, growth = 0L

  def written: Long = puts
  def removed: Long = removes

  /** The number of bytes by which the cells have grown. */
  def grown: Long = growth

  /** Selects the key of `row`. */
  def select(row: UnsafeRow): Unit = selectKey(keyOf(row).copy())

  /** Selects a key of this store; keeps the object and changes its section, bucket and number. */
  def selectKey(storeKey: UnsafeRow): Unit = {
    key = storeKey
    group = StateCells.groupOf(place(key, Header, 0L, 0L))
    headerBytes = 0L
  }

  /** The selected key as the key of a timer; valid until the next access to a cell. */
  def timerKey(bucket: Long): UnsafeRow = place(key, Timers, bucket, 0L)

  private def at(section: Int, number: Long): UnsafeRow =
    place(key, section, if (section == Header) group else 0L, number)

  private def place(key: UnsafeRow, section: Int, bucket: Long, number: Long): UnsafeRow = {
    key.setInt(0, section)
    key.setLong(1, bucket)
    key.setLong(numberField, number)
    key
  }

  override def get(section: Int, number: Long): UnsafeRow = {
    val cell = at(section, number)
    val value = read(cell)
    if (section == Header) headerBytes = if (value == null) 0L else bytesOf(cell, value)
    value
  }

  private def read(cell: UnsafeRow): UnsafeRow = {
    val value = store.get(cell, Default)
    if (value == null) null else valueStructure.check(value)
  }

  private def bytesOf(cell: UnsafeRow, value: UnsafeRow): Long =
    cell.getSizeInBytes.toLong + value.getSizeInBytes

  private def storedBytes(cell: UnsafeRow): Long = {
    val value = store.get(cell, Default)
    if (value == null) 0L else bytesOf(cell, value)
  }

  override def put(section: Int, number: Long, low: Long, high: Long, data: Array[Byte]): Unit =
    if (section == Header) headerBytes = write(at(section, number), headerBytes, low, high, data)
    else {
      val cell = at(section, number)
      write(cell, storedBytes(cell), low, high, data)
    }

  /** Writes a cell that replaces a cell of `before` bytes, and returns the number of bytes of the new cell. */
  private def write(cell: UnsafeRow, before: Long, low: Long, high: Long, data: Array[Byte]): Long = {
    writer.reset()
    writer.write(LowField, low)
    writer.write(HighField, high)
    writer.write(DataField, data)
    val value = writer.getRow
    store.put(cell, value, Default)
    puts += 1
    growth += bytesOf(cell, value) - before
    bytesOf(cell, value)
  }

  override def remove(section: Int, number: Long): Unit = {
    val cell = at(section, number)
    delete(cell, if (section == Header) headerBytes else storedBytes(cell))
    if (section == Header) headerBytes = 0L
  }

  private def delete(cell: UnsafeRow, before: Long): Unit = {
    store.remove(cell, Default)
    removes += 1
    growth -= before
  }

  /** Sets the selected key's timer, which it does not have in this bucket. */
  def putTimer(bucket: Long, time: Long): Unit = write(timerKey(bucket), 0L, time, 0L, PendingBlock.Empty)

  def removeTimer(bucket: Long): Unit = {
    val cell = timerKey(bucket)
    delete(cell, storedBytes(cell))
  }

  override def dataOf(section: Int, bucket: Long, number: Long): Array[Byte] = {
    val value = read(place(ofPartition, section, bucket, number))
    if (value == null) null else value.getBinary(DataField)
  }

  override def putData(section: Int, bucket: Long, number: Long, data: Array[Byte]): Unit = {
    val cell = place(ofPartition, section, bucket, number)
    write(cell, storedBytes(cell), 0L, 0L, data)
  }

  override def removeData(section: Int, bucket: Long, number: Long): Unit = {
    val cell = place(ofPartition, section, bucket, number)
    delete(cell, storedBytes(cell))
  }

  /** All cells of a bucket, with their keys. The iterator reuses its object, and the caller must close it. */
  def scan(section: Int, bucket: Long): Iterator[UnsafeRowPair] with Closeable =
    CheckedPairs.of(
      SparkStreaming.prefixScan(store, prefix(InternalRow(section, bucket))),
      keyStructure,
      valueStructure
    )

  /** The number of columns of a key. */
  def keyFields: Int = keyTypes.size
}

private[streams] object StateCells {
  val FormatVersion = 2

  /** The part of a key's state that the other sections do not hold: one cell, number 0, in one of [[Groups]] buckets. */
  val Header = 0

  /** Blocks of rows that wait for the watermark. */
  val Pending = 1

  /** Blocks of the columns of ordered rows that later frames need. */
  val Rows = 2

  /** Blocks of ordered rows whose frames are not complete. */
  val Waiting = 3

  /** The time from which a key has something to do, or an earlier one: one cell without data, number 0, in the bucket of the time. */
  val Timers = 4

  /** The buckets of timers that are not empty; see [[TimerIndex]]. */
  val Index = 5

  /** The state that is common to all keys of the partition; see [[PartitionState]]. */
  val Partition = 6

  /** The first of the sections of the frames, one each: partial aggregates, or blocks of rows with last occurrences. */
  val FirstFrame = 16

  val LowField = 0
  val HighField = 1
  val DataField = 2
  private val Default = StateStore.DEFAULT_COL_FAMILY_NAME

  /** The number of leading columns of the key by which cells can be scanned. */
  val PrefixColumns = 2

  /** The number of buckets for headers. */
  val Groups = 1024

  /** The bucket of a header, given its key with the bucket 0. */
  def groupOf(key: UnsafeRow): Long = (key.hashCode & (Groups - 1)).toLong

  def keySchema(partitionSpec: Seq[Expression]): StructType = StructType(
    Seq(
      StructField("section", IntegerType, nullable = false),
      StructField("bucket", LongType, nullable = false)
    ) ++
      // Cells that belong to no key have null key columns.
      partitionSpec.zipWithIndex.map { case (e, i) => StructField(s"key$i", e.dataType) } :+
      StructField("number", LongType, nullable = false)
  )

  val valueSchema: StructType = new StructType()
    .add("low", LongType, nullable = false)
    .add("high", LongType, nullable = false)
    .add("data", BinaryType, nullable = false)
}
