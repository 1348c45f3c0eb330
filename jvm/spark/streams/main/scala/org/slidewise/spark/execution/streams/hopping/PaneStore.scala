package org.slidewise.spark.execution.streams.hopping

import java.io.Closeable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.{StructField, StructType}

import org.slidewise.spark.execution.streams.CheckedPairs
import org.slidewise.spark.expressions.RowStructure
import org.slidewise.spark.plan.HoppingWindowPlan
import org.slidewise.spark.shims.SparkStreaming

/**
 * Reads and writes the panes of a state partition in a state store, which has one entry for each key and pane.
 *
 * Schema, version 1: the key consists of the grouping columns and the start of the pane, and the value consists of the
 * aggregation buffers.
 *
 * @param input
 *   the columns of [[HoppingWindowPlan.partial]] with the driver's identifiers, since functions create new ones in each task
 */
final private[hopping] class PaneStore(store: StateStore, plan: HoppingWindowPlan, input: Seq[Attribute]) {
  import PaneStore.Default

  /** The ordinal of the pane's start in an entry's key and in a row of `input`. */
  val paneField: Int = plan.keys.size

  private[this] val keyOf = UnsafeProjection.create(input.take(paneField + 1), input)
  private[this] val prefixOf = UnsafeProjection.create(input.take(paneField), input)
  private[this] val valueOf = UnsafeProjection.create(input.drop(paneField + 1), input)
  private[this] val keyStructure = new RowStructure(PaneStore.keySchema(plan).map(_.dataType))
  private[this] val valueStructure = PaneStore.valueStructure(plan)
  private[this] val merger = new PaneMerger(plan.functions)
  private[this] val hasKeys = plan.keys.nonEmpty
  private[this] var puts, removes = 0L

  def written: Long = puts
  def removed: Long = removes

  /** Merges a partial aggregate, a row of `input`, into its pane. */
  def add(partial: UnsafeRow): Unit = {
    val key = keyOf(partial)
    val newer = valueOf(partial)
    val older = store.get(key, Default)
    store.put(key, if (older == null) newer else merger.merge(valueStructure.check(older), newer), Default)
    puts += 1
  }

  /** The grouping columns of a row of `input`. Reuses the returned object. */
  def groupOf(partial: UnsafeRow): UnsafeRow = prefixOf(partial)

  /** The panes of a group, in no order. The iterator reuses its object, and the caller must close it. */
  def panesOf(group: UnsafeRow): Iterator[UnsafeRowPair] with Closeable =
    if (hasKeys) checked(SparkStreaming.prefixScan(store, group)) else all

  /** All panes, in no order. The iterator reuses its object, and the caller must close it. */
  def all: Iterator[UnsafeRowPair] with Closeable = checked(SparkStreaming.scan(store))

  private def checked(pairs: Iterator[UnsafeRowPair] with Closeable) =
    CheckedPairs.of(pairs, keyStructure, valueStructure)

  def remove(pane: UnsafeRowPair): Unit = {
    store.remove(pane.key, Default)
    removes += 1
  }
}

private[streams] object PaneStore {
  val FormatVersion = 1

  private val Default = StateStore.DEFAULT_COL_FAMILY_NAME

  def keySchema(plan: HoppingWindowPlan): StructType = StructType(
    columns("key", plan.keys) :+ StructField("pane", plan.pane.dataType, nullable = false)
  )

  def valueSchema(plan: HoppingWindowPlan): StructType = StructType(columns("buffer", plan.buffers))

  /** The structure of a value. A buffer that Spark serializes an object to is not null, whatever its attribute says. */
  private def valueStructure(plan: HoppingWindowPlan): RowStructure = {
    val isRequired = plan.aggregates.map(_.aggregateFunction).flatMap {
      case _: TypedImperativeAggregate[_] => Seq(true)
      case other                          => other.aggBufferAttributes.map(!_.nullable)
    }
    new RowStructure(valueSchema(plan).map(_.dataType), isRequired)
  }

  private def columns(name: String, attributes: Seq[Attribute]): Seq[StructField] =
    attributes.zipWithIndex.map { case (a, i) => StructField(s"$name$i", a.dataType) }

  def encoder(plan: HoppingWindowPlan): KeyStateEncoderSpec =
    if (plan.keys.isEmpty) NoPrefixKeyStateEncoderSpec(keySchema(plan))
    else PrefixKeyScanStateEncoderSpec(keySchema(plan), plan.keys.size)
}
