package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types._

/** Numbered cells in sections that keep something of one key from batch to batch. */
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
 * What is kept of a key, in a state store: numbered cells in sections, each with some bytes and two numbers that say what
 * the bytes are about.
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
  private[this] val numberField = partitionSpec.size + 1
  private[this] val writer = new UnsafeRowWriter(3, 256)
  private[this] var key: UnsafeRow = _
  private[this] var puts, removes = 0L

  def written: Long = puts
  def removed: Long = removes

  /** What follows is about the partition of `row`. */
  def select(row: UnsafeRow): Unit = selectKey(keyOf(row).copy())

  /** What follows is about the partition of a key of this store, which is kept. */
  def selectKey(storeKey: UnsafeRow): Unit = key = storeKey

  /** The key of a section's only cell; to be kept no longer than another cell of the same partition is asked for. */
  def keyOf(section: Int): UnsafeRow = at(section, 0L)

  private def at(section: Int, number: Long): UnsafeRow = {
    key.setInt(0, section)
    key.setLong(numberField, number)
    key
  }

  override def get(section: Int, number: Long): UnsafeRow = store.get(at(section, number), Default)

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

  /** The keys of all cells of a section whose key and value meet `condition`. */
  def keysWhere(section: Int)(condition: (UnsafeRow, UnsafeRow) => Boolean): Array[UnsafeRow] = {
    val cells = store.prefixScan(prefix(section), Default)
    try cells.filter(pair => condition(pair.key, pair.value)).map(_.key.copy()).toArray
    finally cells.close()
  }

  private def prefix(section: Int): UnsafeRow =
    UnsafeProjection.create(Array[DataType](IntegerType))(InternalRow(section))
}

private[streams] object StateCells {
  val FormatVersion = 1

  /** What is kept of a key beside the cells of the other sections; one cell, number 0. */
  val Header = 0

  /** Rows that wait for the watermark. */
  val Pending = 1

  /** What later frames need of rows whose place is settled. */
  val Rows = 2

  /** Rows whose place is settled and whose frames are not complete. */
  val Waiting = 3

  /**
   * Keys that have something to do at some time, or some time after it: one cell without data, number 0. Small, since all
   * are looked at.
   */
  val Due = 4

  /** The first of the sections of the frames' middles, one a frame. */
  val FirstMiddle = 16

  val LowField = 0
  val HighField = 1
  val DataField = 2
  private val Default = StateStore.DEFAULT_COL_FAMILY_NAME

  /** Columns of the key that a section can be scanned by. */
  val PrefixColumns = 1

  def keySchema(partitionSpec: Seq[Expression]): StructType = StructType(
    StructField("section", IntegerType, nullable = false) +:
      partitionSpec.zipWithIndex.map { case (e, i) => StructField(s"key$i", e.dataType, e.nullable) } :+
      StructField("number", LongType, nullable = false)
  )

  val valueSchema: StructType = new StructType()
    .add("low", LongType, nullable = false)
    .add("high", LongType, nullable = false)
    .add("data", BinaryType, nullable = false)
}

/** What is in a state store is not what was put there. */
final class CorruptState(what: String)
    extends IllegalStateException(
      s"[SLIDEWISE_CORRUPT_STATE] The state of a window over a stream is damaged: $what. " +
        "Restore the checkpoint from a copy, or begin a new one"
    )
