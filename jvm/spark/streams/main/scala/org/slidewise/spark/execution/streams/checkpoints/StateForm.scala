package org.slidewise.spark.execution.streams.checkpoints

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.streaming.state.{ReadStateStore, StateStore, UnsafeRowPair}
import org.apache.spark.sql.types.StructType

import org.slidewise.spark.expressions.RowStructure

/**
 * The schemas of an operator's state store.
 *
 * @param prefixColumns
 *   the number of leading columns of the key by which the store can be scanned; 0 for none
 */
final private[checkpoints] class StoreSchemas(
    val key: StructType,
    val value: StructType,
    val prefixColumns: Int
) extends Serializable {
  def keyStructure: RowStructure = RowStructure.of(key)
  def valueStructure: RowStructure = RowStructure.of(value)
}

/** The form of one operator's state: how its entries are partitioned, checked and written. */
private[checkpoints] trait StateForm extends Serializable {
  def schemas: StoreSchemas

  /** The ordinals of the key's columns by which the exchange below the operator partitions; empty for one partition. */
  def keyFields: Range

  /** Whether an entry belongs to a key, and not to its partition. */
  def hasKey(key: UnsafeRow): Boolean = true

  def scan(store: ReadStateStore): PartitionScan

  /** The entry that each partition of the new state gets for an entry that belongs to its partition; null for none. */
  def carried(pair: UnsafeRowPair, store: ReadStateStore): UnsafeRowPair = null

  def writer(store: StateStore): PartitionWriter = new PartitionWriter(store)

  final def partitions(shufflePartitions: Int): Int = if (keyFields.isEmpty) 1 else shufflePartitions
}

/** Reads the entries of a partition, one after the other, and reports on them. */
private[checkpoints] trait PartitionScan {
  def add(pair: UnsafeRowPair, report: PartitionReport): Unit

  /** Called after the last entry. */
  def finish(report: PartitionReport): Unit = ()
}

/** Writes the entries of a new partition. */
private[checkpoints] class PartitionWriter(store: StateStore) {
  def put(key: UnsafeRow, value: UnsafeRow): Unit = store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)

  /** Called after the last entry. */
  def finish(): Unit = ()
}

/** The partitions to which Spark's exchange below a stateful operator assigns keys. Not thread-safe. */
final private[checkpoints] class KeyPartitions(form: StateForm, partitions: Int) {
  private[this] val idOf = UnsafeProjection.create(
    Seq(
      HashPartitioning(
        form.keyFields.map(i => BoundReference(i, form.schemas.key(i).dataType, nullable = true)),
        partitions
      ).partitionIdExpression
    )
  )

  def of(key: UnsafeRow): Int = if (partitions == 1) 0 else idOf(key).getInt(0)
}

/** The state of one of Spark's operators that has an entry for each key and partitions by all columns of the key. */
final private[checkpoints] class KeyedForm(val schemas: StoreSchemas) extends StateForm {
  override def keyFields: Range = schemas.key.indices
  override def scan(store: ReadStateStore): PartitionScan = (_, report) => report.keys += 1
}
