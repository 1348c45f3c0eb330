package org.slidewise.spark.execution.streams.checkpoints

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow, XxHash64}
import org.apache.spark.sql.execution.streaming.state.{ReadStateStore, UnsafeRowPair}

/**
 * The state of hopping windows: an entry for each key and pane.
 *
 * @param isGrouped
 *   whether the store returns the panes of a key one after the other
 */
final private[checkpoints] class PaneForm(val schemas: StoreSchemas, val isGrouped: Boolean)
    extends StateForm {
  override def keyFields: Range = 0 until schemas.key.size - 1
  override def scan(store: ReadStateStore): PartitionScan = new PaneScan(this)
}

/** Counts the keys by their hashes. Memory, if the store does not group the panes of a key: about 30 bytes for each key. */
final private class PaneScan(form: PaneForm) extends PartitionScan {
  private[this] val hash = UnsafeProjection.create(
    Seq(
      XxHash64(form.keyFields.map(i => BoundReference(i, form.schemas.key(i).dataType, nullable = true)), 42L)
    )
  )
  private[this] val seen = mutable.LongMap.empty[Unit]
  private[this] val paneField = form.schemas.key.size - 1
  private[this] var last = 0L
  private[this] var isFirst = true

  override def add(pair: UnsafeRowPair, report: PartitionReport): Unit = {
    if (isNew(hash(pair.key))) report.keys += 1
    report.oldest = math.min(report.oldest, pair.key.getLong(paneField))
  }

  private def isNew(hashed: UnsafeRow): Boolean = {
    val key = hashed.getLong(0)
    val differs = isFirst || key != last
    isFirst = false
    last = key
    differs && (form.isGrouped || seen.put(key, ()).isEmpty)
  }
}
