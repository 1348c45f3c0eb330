package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{ApproximatePercentile, PercentileBase}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

import org.slidewise.core.multisets.{RankedMultiset, ValueDecoder}
import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.plan.QuantileMethod

/**
 * One or several quantiles of a multiset of numbers. O(log u) for each change, and for each fraction of a result, with u distinct
 * values.
 *
 * Memory: 36 to 72 bytes for each distinct value.
 *
 * @param percentage
 *   the fraction, or an array of fractions; foldable
 * @param resultType
 *   an array if there are several fractions
 * @param descending
 *   whether fractions count from the greatest value
 * @param decode
 *   the number that a stored long stands for; longs are in the order of their numbers
 * @param asResult
 *   converts a quantile to the type of the result
 */
final private[execution] class Quantiles(
    method: QuantileMethod,
    percentage: Expression,
    resultType: DataType,
    descending: Boolean,
    decode: ValueDecoder,
    asResult: Double => Any,
    memory: HeapMemory
) {
  private[this] val selects: Array[() => Double] = (percentage.eval() match {
    case fraction: Double => Array(fraction)
    case several          => several.asInstanceOf[ArrayData].toDoubleArray()
  }).map(selected)
  private[this] val isArray = resultType.isInstanceOf[ArrayType]

  private[this] var multiset = new RankedMultiset
  private[this] var roomGranted = multiset.room
  private[this] var uncertain = 0L

  /** Adds a value as often as `times` says, at least once. */
  def add(value: Long, times: Long): Unit = {
    if (multiset.isFull) reserve()
    multiset.add(value, times)
  }

  def remove(value: Long, times: Long): Unit = multiset.remove(value, times)

  /** Changes by how much ranks may be greater than the values that have been added say; 0 at first. */
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

  /** The rank in the middle of those that a value may have; the last one is known. */
  private def withinError(rank: Long): Long =
    if (rank == multiset.size - 1) rank else math.max(0L, rank - uncertain / 2)

  private def at(rank: Long): Long = multiset.valueAt(if (descending) multiset.size - 1 - rank else rank)

  /** Null if there are no values, and, as in Spark, if there are no fractions. */
  def result: Any =
    if (multiset.size == 0L || selects.isEmpty) null
    else if (isArray) new GenericArrayData(selects.map(select => asResult(select())))
    else asResult(selects(0)())

  /** Removes all values; gives no memory back. */
  def clear(): Unit = {
    multiset.clear()
    uncertain = 0L
  }

  /** As [[clear]], once all memory has been given back. */
  def restart(): Unit = {
    multiset = new RankedMultiset
    roomGranted = multiset.room
    uncertain = 0L
  }
}

private[execution] object Quantiles {

  /** Those of an exact function, of numbers that a double or a long holds, or of intervals. */
  def of(function: PercentileBase, memory: HeapMemory): Quantiles = {
    val method = QuantileMethod
      .of(function)
      .getOrElse(
        throw new IllegalArgumentException(s"${function.prettyName} is no quantile that Slidewise knows")
      )
    val kind = function.child.dataType
    new Quantiles(
      method,
      function.percentageExpression,
      function.dataType,
      function.reverse,
      decoderOf(kind),
      exactResult(kind),
      memory
    )
  }

  /** Those of an approximate function, of the doubles that its summaries hold. */
  def of(function: ApproximatePercentile, memory: HeapMemory): Quantiles = new Quantiles(
    QuantileMethod.Approximate,
    function.percentageExpression,
    function.dataType,
    descending = false,
    ValueDecoder.Doubles,
    approximateResult(function.child.dataType),
    memory
  )

  private def decoderOf(kind: DataType): ValueDecoder = kind match {
    case FloatType | DoubleType => ValueDecoder.Doubles
    case decimal: DecimalType   => ValueDecoder.decimals(decimal.scale)
    case _                      => ValueDecoder.Longs
  }

  /** How Spark's exact functions convert a quantile to the type of their result. */
  private def exactResult(kind: DataType): Double => Any = kind match {
    case _: YearMonthIntervalType => _.toInt
    case _: DayTimeIntervalType   => _.toLong
    case _                        => identity
  }

  /** How `percentile_approx` does. */
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
