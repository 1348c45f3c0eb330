package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.types._

import org.slidewise.core.multisets.OrderedDoubles
import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.plan.RowMultiset

/**
 * `percentile`, `median`, `percentile_cont` and `percentile_disc`, of one or several fractions. Each value counts as often as its
 * frequency says. Cost and memory: see [[Quantiles]].
 *
 * @param function
 *   a function of numbers that fit a double or a long, or of intervals
 */
final private class FrameQuantiles(
    function: RowMultiset.Quantiles,
    filter: Option[Expression],
    input: Seq[Attribute],
    memory: HeapMemory
) extends FrameMultiset {
  import FrameQuantiles._

  private[this] val tuples = new RowTuple(
    Seq(stored(function.value), Cast(function.frequency, LongType)),
    filter,
    input,
    skipsNulls = true
  )
  private[this] val encode = encodingOf(function.value.dataType)
  private[this] val quantiles = new Quantiles(function, memory)

  override def add(row: InternalRow): Unit = {
    val times = frequency(row)
    if (times < 0L) raise(row)
    if (times > 0L) quantiles.add(encode(tuples.tuple), times)
  }

  override def remove(row: InternalRow): Unit = {
    val times = frequency(row)
    if (times > 0L) quantiles.remove(encode(tuples.tuple), times)
  }

  /** The number of times that the row's value counts. */
  private def frequency(row: InternalRow): Long =
    if (tuples.read(row)) tuples.tuple.getLong(1) else 0L

  /** Raises Spark's error for a negative frequency. */
  private def raise(row: InternalRow): Unit = raise(function.function, row)

  private def raise[T](of: TypedImperativeAggregate[T], row: InternalRow): Unit = {
    val bound = BindReferences.bindReference[Expression](of, input).asInstanceOf[TypedImperativeAggregate[T]]
    bound.update(bound.createAggregationBuffer(), row): Unit
  }

  override def result: Any = quantiles.result
  override def clear(): Unit = quantiles.clear()
  override def clearAfterRelease(): Unit = quantiles.clearAfterRelease()
}

private object FrameQuantiles {

  /** The expression that a projected row stores for `value`. */
  private def stored(value: Expression): Expression = value.dataType match {
    case FloatType                          => Cast(value, DoubleType)
    case ByteType | ShortType | IntegerType => Cast(value, LongType)
    case _: DecimalType                     => UnscaledValue(value)
    case _                                  => value
  }

  /** The encoding of the first column as a long, in the order of its values. */
  private def encodingOf(dataType: DataType): UnsafeRow => Long = dataType match {
    case FloatType | DoubleType   => row => OrderedDoubles.toSignedLong(row.getDouble(0))
    case _: YearMonthIntervalType => _.getInt(0).toLong
    case _                        => _.getLong(0)
  }
}
