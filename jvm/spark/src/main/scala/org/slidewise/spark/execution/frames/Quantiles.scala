package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

import org.slidewise.core.multisets.{RankedMultiset, ValueDecoder}
import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.plan.{QuantileMethod, RowMultiset}

/**
 * One or several quantiles of a multiset of numbers. O(log u) for each change, and for each fraction of a result, with u distinct
 * values.
 *
 * Memory: 36 to 72 bytes for each distinct value.
 */
final private[execution] class Quantiles(function: RowMultiset.Quantiles, memory: HeapMemory) {
  import function.{descending, method}

  private[this] val decode = Quantiles.decoderOf(function)
  private[this] val asResult = Quantiles.resultOf(function)
  private[this] val selects: Array[() => Double] = (function.percentage.eval() match {
    case fraction: Double => Array(fraction)
    case several          => several.asInstanceOf[ArrayData].toDoubleArray()
  }).map(selected)
  private[this] val isArray = function.resultType.isInstanceOf[ArrayType]

  private[this] var multiset = new RankedMultiset
  private[this] var roomGranted = multiset.room
  private[this] var uncertain = 0L

  /** Adds a value `times` times; `times` is at least 1. */
  def add(value: Long, times: Long): Unit = {
    if (multiset.isFull) reserve()
    multiset.add(value, times)
  }

  def remove(value: Long, times: Long): Unit = multiset.remove(value, times)

  /**
   * Adds to the uncertainty, which starts at 0: the true rank of a value may exceed its rank among the added values by this
   * number.
   */
  def changeUncertainty(by: Long): Unit = uncertain += by

  private def reserve(): Unit = if (roomGranted == multiset.room) {
    memory.chargeIfPossible(RankedMultiset.BytesAValue * (multiset.room + 1L))
    roomGranted = 2 * multiset.room + 1
  }

  private def selected(fraction: Double): () => Double = method match {
    case ranked: QuantileMethod.Ranked =>
      val rule = ranked.rank(fraction, descending)
      () => decode(multiset.valueAt(withinError(rule.rank(multiset.size))))
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

  /** Corrects a rank by half of the uncertainty. The last rank is certain. */
  private def withinError(rank: Long): Long =
    if (rank == multiset.size - 1) rank else math.max(0L, rank - uncertain / 2)

  private def at(rank: Long): Long = multiset.valueAt(if (descending) multiset.size - 1 - rank else rank)

  /** The result. Null if there are no values and, as in Spark, if there are no fractions. */
  def result: Any =
    if (multiset.size == 0L || selects.isEmpty) null
    else if (isArray) new GenericArrayData(selects.map(select => asResult(select())))
    else asResult(selects(0)())

  /** Removes all values, but keeps the memory. */
  def clear(): Unit = {
    multiset.clear()
    uncertain = 0L
  }

  /** Removes all values, after all memory has been released. */
  def clearAfterRelease(): Unit = {
    multiset = new RankedMultiset
    roomGranted = multiset.room
    uncertain = 0L
  }
}

private object Quantiles {

  /** The decoder of stored longs into numbers. Summaries of approximate functions hold doubles. */
  private def decoderOf(function: RowMultiset.Quantiles): ValueDecoder =
    (function.method, function.value.dataType) match {
      case (QuantileMethod.Approximate, _) | (_, FloatType | DoubleType) => ValueDecoder.Doubles
      case (_, decimal: DecimalType) => ValueDecoder.decimals(decimal.scale)
      case _                         => ValueDecoder.Longs
    }

  /** Converts a quantile to the type of the result. */
  private def resultOf(function: RowMultiset.Quantiles): Double => Any = {
    val kind = function.value.dataType
    if (function.method == QuantileMethod.Approximate) approximateResult(kind) else exactResult(kind)
  }

  /** The conversion of a quantile to the result type of Spark's exact functions. It follows Spark. */
  private def exactResult(kind: DataType): Double => Any = kind match {
    case _: YearMonthIntervalType => _.toInt
    case _: DayTimeIntervalType   => _.toLong
    case _                        => identity
  }

  /** The conversion of a quantile to the result type of `percentile_approx`. It follows Spark. */
  private def approximateResult(kind: DataType): Double => Any = kind match {
    case ByteType                                          => _.toByte
    case ShortType                                         => _.toShort
    case IntegerType | DateType | _: YearMonthIntervalType => _.toInt
    case FloatType                                         => _.toFloat
    case DoubleType                                        => identity
    case _: DecimalType                                    => Decimal(_)
    case _                                                 => _.toLong
  }
}
