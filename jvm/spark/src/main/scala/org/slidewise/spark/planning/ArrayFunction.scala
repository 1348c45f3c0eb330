package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

/**
 * What the core's array kernels can answer: a function over one primitive column.
 *
 * @param kernel
 *   which
 * @param input
 *   the column: longs, doubles, or what is four bytes wide in a row; null where the function passes a row over
 * @param atLeast
 *   how many values a frame must hold for its answer not to be null
 */
final case class ArrayFunction(kernel: ArrayKernel, input: Expression, atLeast: Int)

sealed trait ArrayKernel

object ArrayKernel {
  case object ValueCount extends ArrayKernel
  case object DoubleSum extends ArrayKernel
  case object DoubleMean extends ArrayKernel
  case object DoubleMin extends ArrayKernel
  case object DoubleMax extends ArrayKernel

  /** @param lost see `DoubleKernels.variance` */
  final case class Variance(lost: Int, root: Boolean) extends ArrayKernel

  /** @param wraps whether it may wrap around; if not, frames in which it could are answered otherwise */
  final case class LongSum(wraps: Boolean) extends ArrayKernel
  case object LongMin extends ArrayKernel
  case object LongMax extends ArrayKernel
}

object ArrayFunction {
  import ArrayKernel._

  /** How the array kernels answer `function` over the rows that pass `filter`; none if they cannot. */
  def of(function: AggregateFunction, filter: Option[Expression]): Option[ArrayFunction] =
    kernelOf(function).collect {
      case (kernel, input, atLeast) if input.deterministic && filter.forall(_.deterministic) =>
        ArrayFunction(
          kernel,
          filter.fold(input)(f => If(f, input, Literal.create(null, input.dataType))),
          atLeast
        )
    }

  private def kernelOf(function: AggregateFunction): Option[(ArrayKernel, Expression, Int)] =
    function match {
      case Count(values)                            => Some((ValueCount, counted(values), 0))
      case Sum(value, _) if isFractional(value)     => Some((DoubleSum, double(value), 1))
      case Sum(value, context) if isIntegral(value) => Some((LongSum(wraps(context)), long(value), 1))
      case Average(value, _) if isPrimitive(value)  => Some((DoubleMean, double(value), 1))
      case Min(value)                               => extreme(value, DoubleMin, LongMin)
      case Max(value)                               => extreme(value, DoubleMax, LongMax)
      case StddevPop(value, _)                      => Some((Variance(0, root = true), value, 1))
      case VariancePop(value, _)                    => Some((Variance(0, root = false), value, 1))
      case StddevSamp(value, nullForOne)   => Some((Variance(1, root = true), value, sample(nullForOne)))
      case VarianceSamp(value, nullForOne) => Some((Variance(1, root = false), value, sample(nullForOne)))
      case _                               => None
    }

  // One value alone has no sample variance: NaN, or null.
  private def sample(nullForOne: Boolean): Int = if (nullForOne) 2 else 1

  private def wraps(context: NumericEvalContext): Boolean = context.evalMode == EvalMode.LEGACY

  private def counted(values: Seq[Expression]): Expression = {
    val nullable = values.filter(_.nullable)
    if (nullable.isEmpty) Literal(1L)
    else
      If(
        nullable.map(IsNotNull(_)).reduce[Expression](And(_, _)),
        Literal(1L),
        Literal.create(null, LongType)
      )
  }

  private def extreme(
      value: Expression,
      doubles: ArrayKernel,
      longs: ArrayKernel
  ): Option[(ArrayKernel, Expression, Int)] =
    if (isFractional(value)) Some((doubles, double(value), 1))
    else if (isWhole(value.dataType)) Some((longs, long(value), 1))
    else None

  private def isFractional(value: Expression): Boolean =
    value.dataType == DoubleType || value.dataType == FloatType
  private def isIntegral(value: Expression): Boolean = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }
  private def isPrimitive(value: Expression): Boolean = isFractional(value) || isIntegral(value)

  private def isWhole(kind: DataType): Boolean = kind match {
    case ByteType | ShortType | IntegerType | LongType | BooleanType | DateType | TimestampType |
        TimestampNTZType =>
      true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case decimal: DecimalType                              => decimal.precision <= Decimal.MAX_LONG_DIGITS
    case _                                                 => false
  }

  private def double(value: Expression): Expression =
    if (value.dataType == DoubleType) value else Cast(value, DoubleType)

  private def long(value: Expression): Expression = value.dataType match {
    case ByteType | ShortType | BooleanType => Cast(value, LongType)
    case _: DecimalType                     => UnscaledValue(value)
    case _                                  => value
  }
}
