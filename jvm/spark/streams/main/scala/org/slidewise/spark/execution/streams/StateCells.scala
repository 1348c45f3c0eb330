package org.slidewise.spark.execution.streams

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, UnsafeProjection, UnsafeRow}
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

  /** The bytes of a cell that there must be. */
  final def data(section: Int, number: Long): Array[Byte] = {
    val value = get(section, number)
    if (value == null) throw new CorruptState(s"section $section has no cell $number")
    value.getBinary(StateCells.DataField)
  }
}

/**
 * The cells of a state partition in a state store. A cell has bytes, and two numbers that say what the bytes are about.
 *
 * Schema, version 1: the key is (`section` int, the partition keys, `number` bigint), the value (`low` bigint, `high` bigint,
 * `data` binary).
 */
final private[streams] class StateCells(
    store: StateStore,
    partitionSpec: Seq[Expression],
    input: Seq[Attribute]
) extends KeyCells {
  import StateCells._

  private[this] val keyOf = UnsafeProjection.create(Literal(0) +: partitionSpec :+ Literal(0L), input)
  private[this] val keyStructure =
    new RowStructure(StateCells.keySchema(partitionSpec).map(_.dataType))
  private[this] val valueStructure = RowStructure.of(StateCells.valueSchema)
  private[this] val numberField = partitionSpec.size + 1
  private[this] val writer = new UnsafeRowWriter(3, 256)
  private[this] var key: UnsafeRow = _
  private[this] var puts, removes = 0L

  def written: Long = puts
  def removed: Long = removes

  /** Selects the key of `row`. */
  def select(row: UnsafeRow): Unit = selectKey(keyOf(row).copy())

  /** Selects a key of this store; keeps the object and changes its section and number. */
  def selectKey(storeKey: UnsafeRow): Unit = key = storeKey

  /** The key of a section's only cell; valid until another cell is asked for. */
  def keyOf(section: Int): UnsafeRow = at(section, 0L)

  private def at(section: Int, number: Long): UnsafeRow = {
    key.setInt(0, section)
    key.setLong(numberField, number)
    key
  }

  override def get(section: Int, number: Long): UnsafeRow = {
    val value = store.get(at(section, number), Default)
    if (value == null) null else valueStructure.check(value)
  }

  override def put(section: Int, number: Long, low: Long, high: Long, data: Array[Byte]): Unit = {
    writer.reset()
    writer.write(LowField, low)
    writer.write(HighField, high)
    writer.write(DataField, data)
    store.put(at(section, number), writer.getRow, Default)
    puts += 1
  }

  override def remove(section: Int, number: Long): Unit = {
    store.remove(at(section, number), Default)
    removes += 1
  }

  /** All cells of a section, with their keys; the same object each time. To be closed. */
  def scan(section: Int): Iterator[UnsafeRowPair] with Closeable =
    CheckedPairs.of(SparkStreaming.prefixScan(store, prefix(section)), keyStructure, valueStructure)

  /** How many columns a key has. */
  def keyFields: Int = partitionSpec.size + 2

  private def prefix(section: Int): UnsafeRow =
    UnsafeProjection.create(Array[DataType](IntegerType))(InternalRow(section))
}

private[streams] object StateCells {
  val FormatVersion = 1

  /** The state of a key that is not in the other sections; one cell, number 0. */
  val Header = 0

  /** Blocks of rows that wait for the watermark. */
  val Pending = 1

  /** Blocks of the columns of ordered rows that later frames need. */
  val Rows = 2

  /** Blocks of ordered rows whose frames are not complete. */
  val Waiting = 3

  /** The time from which a key has something to do, or an earlier one: one cell without data, number 0. Scanned in each batch. */
  val Timers = 4

  /** The first of the sections of the frames, one each: partial aggregates, or blocks of rows with last occurrences. */
  val FirstFrame = 16

  val LowField = 0
  val HighField = 1
  val DataField = 2
  private val Default = StateStore.DEFAULT_COL_FAMILY_NAME

  /** Columns of the key that a section can be scanned by. */
  val PrefixColumns = 1

  def keySchema(partitionSpec: Seq[Expression]): StructType = StructType(
    StructField("section", IntegerType, nullable = false) +:
      partitionSpec.zipWithIndex.map { case (e, i) => StructField(s"key$i", e.dataType) } :+
      StructField("number", LongType, nullable = false)
  )

  val valueSchema: StructType = new StructType()
    .add("low", LongType, nullable = false)
    .add("high", LongType, nullable = false)
    .add("data", BinaryType, nullable = false)
}
