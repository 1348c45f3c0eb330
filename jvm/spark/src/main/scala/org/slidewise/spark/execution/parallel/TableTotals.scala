package org.slidewise.spark.execution.parallel

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Partial}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate.HashAggregateExec

import org.slidewise.spark.execution.exchange.FilteredBatchesExec
import org.slidewise.spark.execution.surroundings._
import org.slidewise.spark.expressions.RowCount
import org.slidewise.spark.plan.WindowKeys

/**
 * The partitions of a window, and their aggregates.
 *
 * @param keys
 *   the bytes of each key, see [[KeyNumbers]]
 * @param aggregates
 *   the aggregate of each key's rows
 */
final private[parallel] case class TableTotals(keys: Array[Array[Byte]], aggregates: Array[PartialAggregate])

private[parallel] object TableTotals {

  /** The one partition of a table without keys. */
  def of(total: PartialAggregate): TableTotals = TableTotals(Array(Array.emptyByteArray), Array(total))
}

/** Aggregates the rows of a task by partition key. [[numbers]] determines how keys are numbered. */
abstract private[parallel] class TaskTotals extends Serializable {

  /** The partition keys of [[input]]. */
  def keys: Seq[Expression]

  /** The attributes of the rows that [[of]] reads. */
  def input: Seq[Attribute]

  /** The aggregates of rows; none if there are too many keys. */
  def of(rows: Iterator[InternalRow]): Option[TableTotals]

  final def numbers: KeyNumbers = KeyNumbers.of(keys, input)
}

/** Aggregates rows of one partition. */
final private[parallel] class OneTotal(functions: SurroundingFunctions) extends TaskTotals {
  override def keys: Seq[Expression] = Nil
  override def input: Seq[Attribute] = functions.input

  override def of(rows: Iterator[InternalRow]): Option[TableTotals] = {
    val aggregate = functions.aggregator()
    rows.foreach(aggregate.add)
    Some(TableTotals.of(aggregate.result()))
  }
}

/**
 * Reads the partial aggregates that Spark's `HashAggregateExec` computes from the rows in generated code; see
 * `UnboundedFunctions.areGenerated`.
 */
final private[parallel] class GeneratedTotals(functions: SurroundingFunctions, partition: Seq[Expression])
    extends TaskTotals {

  @transient private val grouped =
    WindowKeys.asBytes(partition).zipWithIndex.map { case (key, i) => Alias(key, s"key$i")() }

  @transient private val calls = functions.unbounded.buffered.map(call =>
    AggregateExpression(call.function, Partial, isDistinct = false, call.filter)
  ) :+ AggregateExpression(RowCount.function, Partial, isDistinct = false)

  override val keys: Seq[Attribute] = grouped.map(_.toAttribute)
  private val buffers = calls.flatMap(_.aggregateFunction.inputAggBufferAttributes)
  override val input: Seq[Attribute] = keys ++ buffers

  /** Spark's operator over `rows`, with generated code. */
  def aggregated(rows: SparkPlan): SparkPlan = FilteredBatchesExec.generated(
    HashAggregateExec(
      requiredChildDistributionExpressions = None,
      isStreaming = false,
      numShufflePartitions = None,
      grouped,
      calls,
      calls.flatMap(_.aggregateFunction.aggBufferAttributes),
      initialInputBufferOffset = 0,
      input,
      _
    ),
    rows
  )

  override def of(found: Iterator[InternalRow]): Option[TableTotals] = {
    val known = numbers
    val stateOf = UnsafeProjection.create(buffers.init, input)
    val aggregates = ArrayBuffer.empty[PartialAggregate]
    while (found.hasNext && TotalsReader.areFew(known)) {
      val row = found.next()
      val count = row.getLong(input.size - 1)
      // Without keys, Spark also returns an aggregate of no rows.
      if (count > 0) {
        known.of(row): Unit
        aggregates += functions.aggregateOf(count, stateOf(row))
      }
    }
    if (TotalsReader.areFew(known)) Some(TableTotals(known.keys, aggregates.toArray)) else None
  }
}
