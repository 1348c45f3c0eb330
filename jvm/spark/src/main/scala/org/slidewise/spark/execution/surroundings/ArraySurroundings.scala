package org.slidewise.spark.execution.surroundings

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.Decimal

import org.slidewise.spark.execution.sorting.ColumnReader
import org.slidewise.spark.plan._

/**
 * The partial aggregate of one function, in the form that array kernels use.
 *
 * @param count
 *   the number of values, for means; for the value of a row, 0 if the value is null
 */
final private[execution] case class ArrayValue(long: Long, double: Double, count: Long)

private[execution] object ArrayValue {

  /** Stands for a value that array kernels cannot use, such as a decimal whose unscaled value has more than 64 bits. */
  val TooLarge: ArrayValue = ArrayValue(Long.MaxValue, Double.NaN, Long.MaxValue)
}

/**
 * Surrounding rows, in the form that array kernels use.
 *
 * @param before
 *   for each function, the partial aggregate of the rows before; null if there is none, or the function needs none
 * @param after
 *   for each function, the partial aggregate of the rows after; null as in `before`
 */
final private[execution] class ArraySurroundings(
    val rows: SurroundingRows,
    val before: Array[ArrayValue],
    val after: Array[ArrayValue]
) {

  /** Whether array kernels can use all values. */
  def fit: Boolean = !(before ++ after).exists(_ eq ArrayValue.TooLarge)
}

/** Converts surrounding rows for the kernels of an [[ArrayPlan]]. The plan's fallback has the same functions. */
final private[execution] class ArraySurroundingsReader(
    plan: SlidingWindowPlan,
    arrays: ArrayPlan,
    input: Seq[Attribute]
) extends Serializable {

  @transient private[this] lazy val functions = new SurroundingFunctions(plan, input)

  def read(rows: SurroundingRows): ArraySurroundings =
    new ArraySurroundings(rows, values(rows.before, atEnd = false), values(rows.after, atEnd = true))

  private def values(rows: PartialAggregate, atEnd: Boolean): Array[ArrayValue] =
    arrays.functions.zipWithIndex.map {
      case (ArrayFunction.Aggregate(kernel, _, _, frame), i) if !rows.isEmpty && frame.isOpenAt(atEnd) =>
        value(i, kernel, rows)
      case (f: ArrayFunction.ValueOfFrame, i)
          if !rows.isEmpty && f.n == 1 && f.fromEnd == atEnd && f.frame.isOpenAt(atEnd) =>
        valueOfRow(i, f, rows)
      case _ => null
    }.toArray

  /** The value of the first or the last row; null if the function ignores nulls, and this value is null. */
  private def valueOfRow(
      function: Int,
      value: ArrayFunction.ValueOfFrame,
      rows: PartialAggregate
  ): ArrayValue = {
    val aggregate = arrays.fallback.aggregateOf(function)
    val found = aggregate.function match {
      case _: DeclarativeAggregate => functions.stateOf(rows).map(functions.resultOf(aggregate, _))
      case _                       => None
    }
    found.fold(ArrayValue.TooLarge) {
      case null => if (value.ignoreNulls) null else ArrayValue(0L, 0.0, 0L)
      case read => ArrayValue(ColumnReader.word(read, value.input.dataType), 0.0, 1L)
    }
  }

  private def value(function: Int, kernel: ArrayKernel, rows: PartialAggregate): ArrayValue = {
    val aggregate = arrays.fallback.aggregateOf(function)
    if (UnboundedFunctions.countsRows(aggregate)) ArrayValue(rows.rows, 0.0, 0L)
    else
      (for {
        state <- functions.stateOf(rows)
        field <- functions.fieldOf(aggregate)
      } yield kernel match {
        case ArrayKernel.MeanDoubles     => ArrayValue(0L, state.getDouble(field), state.getLong(field + 1))
        case ArrayKernel.MeanDecimals(_) => unscaled(sumIn(state, field, aggregate), state.getLong(field + 1))
        case ArrayKernel.SumDecimals(_)  =>
          val isEmpty = state.getBoolean(field + 1)
          if (isEmpty) null else unscaled(sumIn(state, field, aggregate), 0L)
        case _ =>
          functions.resultOf(aggregate, state) match {
            case null           => null
            case d: Decimal     => unscaled(d, 0L)
            case b: Boolean     => ArrayValue(if (b) 1L else 0L, 0.0, 0L)
            case number: Number => ArrayValue(number.longValue, number.doubleValue, 0L)
            case other          => throw new IllegalStateException(s"$other is no number")
          }
      }).filter(v => v != null && !(isMean(kernel) && v.count == 0L)).orNull
  }

  private def isMean(kernel: ArrayKernel): Boolean = kernel match {
    case ArrayKernel.MeanDoubles | ArrayKernel.MeanDecimals(_) => true
    case _                                                     => false
  }

  private def sumIn(state: InternalRow, field: Int, aggregate: PlannedAggregate): Decimal =
    state.get(field, aggregate.function.aggBufferAttributes.head.dataType).asInstanceOf[Decimal]

  /**
   * Converts a decimal to its unscaled value. A partial sum may have more digits than its type. A partial sum with more digits
   * than Spark can hold is null.
   */
  private def unscaled(value: Decimal, count: Long): ArrayValue = {
    val exact = if (value == null) null else value.toJavaBigDecimal.unscaledValue
    if (exact != null && exact.bitLength < java.lang.Long.SIZE) ArrayValue(exact.longValue, 0.0, count)
    else ArrayValue.TooLarge
  }
}
