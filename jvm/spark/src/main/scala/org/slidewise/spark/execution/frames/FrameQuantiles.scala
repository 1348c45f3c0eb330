package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.PercentileBase
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

import org.slidewise.core.multisets.{OrderedDoubles, RankedMultiset, ValueDecoder}
import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.plan.QuantileMethod

/**
 * `percentile`, `median`, `percentile_cont` and `percentile_disc`: of one or several fractions, each value as often as its frequency
 * says. O(log u) for a row, and for each fraction of a result, with u distinct values.
 *
 * Memory: 36 to 72 bytes for each distinct value.
 *
 * @param function
 *   of numbers that a double or a long holds, or of intervals
 */
final private class FrameQuantiles(
    function: PercentileBase,
    filter: Option[Expression],
    input: Seq[Attribute],
    memory: HeapMemory
) extends FrameMultiset {
  import FrameQuantiles._

  private[this] val counted = filter.map(Predicate.create(_, input)).orNull
  private[this] val project =
    UnsafeProjection.create(Seq(stored(function.child), Cast(function.frequencyExpression, LongType)), input)
  private[this] val (encode, decode) = codingOf(function.child.dataType)
  private[this] val asResult = conversionTo(function.child.dataType)
  private[this] val selects: Array[() => Double] = {
    val method = QuantileMethod
      .of(function)
      .getOrElse(
        throw new IllegalArgumentException(s"${function.prettyName} is no quantile that Slidewise knows")
      )
    val fractions = function.percentageExpression.eval() match {
      case fraction: Double => Array(fraction)
      case several          => several.asInstanceOf[ArrayData].toDoubleArray()
    }
    fractions.map(selected(method, _))
  }
  private[this] val isArray = function.dataType.isInstanceOf[ArrayType]

  private[this] var multiset = new RankedMultiset
  private[this] var roomGranted = multiset.room

  // Of the row whose frequency has been asked for.
  private[this] var values: UnsafeRow = _

  override def add(row: InternalRow): Unit = {
    val times = frequency(row)
    if (times < 0L) raise(row)
    if (times > 0L) {
      if (multiset.isFull) reserve()
      multiset.add(encode(values), times)
    }
  }

  override def remove(row: InternalRow): Unit = {
    val times = frequency(row)
    if (times > 0L) multiset.remove(encode(values), times)
  }

  /** How often the row's value counts. */
  private def frequency(row: InternalRow): Long =
    if (counted != null && !counted.eval(row)) 0L
    else {
      values = project(row)
      if (values.anyNull) 0L else values.getLong(1)
    }

  /** Raises Spark's error for a negative frequency. */
  private def raise(row: InternalRow): Unit = {
    val bound = BindReferences.bindReference[Expression](function, input).asInstanceOf[PercentileBase]
    bound.update(bound.createAggregationBuffer(), row)
  }

  private def reserve(): Unit = if (roomGranted == multiset.room) {
    if (!memory.acquire(RankedMultiset.BytesAValue * (multiset.room + 1L))) throw MultisetOutgrown
    roomGranted = 2 * multiset.room + 1
  }

  private def selected(method: QuantileMethod, fraction: Double): () => Double = method match {
    case ranked: QuantileMethod.Ranked =>
      val rule = ranked.rank(fraction, function.reverse)
      () => decode(multiset.valueAt(rule.rank(multiset.size)))
    case interpolated: QuantileMethod.Interpolated =>
      val interpolation = interpolated.interpolation
      () => {
        val position = (multiset.size - 1) * fraction
        val rank = math.floor(position).toLong
        val lower = at(rank)
        val higher = if (rank == position) lower else at(rank + 1)
        if (lower == higher) decode(lower)
        else interpolation.between(decode(lower), decode(higher), position, rank)
      }
  }

  private def at(rank: Long): Long =
    multiset.valueAt(if (function.reverse) multiset.size - 1 - rank else rank)

  override def result: Any =
    if (multiset.size == 0L || selects.isEmpty) null // as Spark, for no fractions, too
    else if (isArray) new GenericArrayData(selects.map(select => asResult(select())))
    else asResult(selects(0)())

  override def clear(): Unit = multiset.clear()

  override def restart(): Unit = {
    multiset = new RankedMultiset
    roomGranted = multiset.room
  }
}

private object FrameQuantiles {

  /** The column of a projected row. */
  private def stored(value: Expression): Expression = value.dataType match {
    case FloatType                          => Cast(value, DoubleType)
    case ByteType | ShortType | IntegerType => Cast(value, LongType)
    case _: DecimalType                     => UnscaledValue(value)
    case _                                  => value
  }

  /** How the first column is stored as a long in the order of its values, and what number the long stands for. */
  private def codingOf(dataType: DataType): (UnsafeRow => Long, ValueDecoder) = dataType match {
    case FloatType | DoubleType =>
      (row => OrderedDoubles.toSignedLong(row.getDouble(0)), ValueDecoder.Doubles)
    case decimal: DecimalType     => (_.getLong(0), ValueDecoder.decimals(decimal.scale))
    case _: YearMonthIntervalType => (_.getInt(0).toLong, ValueDecoder.Longs)
    case _                        => (_.getLong(0), ValueDecoder.Longs)
  }

  /** How Spark converts a quantile to the type of its result. */
  private def conversionTo(dataType: DataType): Double => Any = dataType match {
    case _: YearMonthIntervalType => _.toInt
    case _: DayTimeIntervalType   => _.toLong
    case _                        => identity
  }
}
