package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.{EvalMode, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{Average, DeclarativeAggregate, Sum}
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.DecimalsOfGroups
import org.slidewise.spark.plan._
import org.slidewise.spark.shims.SparkExpressions

/** `sum` and `avg`, and the functions that replace `try_sum` and `try_avg`. */
private[families] object Sums extends FunctionFamily {
  import ArrayInputs._

  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case sum: Sum                => Summed(sum)
    case mean: Average           => Averaged(mean)
    case other: DecimalsOfGroups => OfGroups(other)
  }

  /** `sum` if it fails or returns null when it overflows 64 bits; none if it wraps around. */
  def checked(sum: Sum): Option[Sum] =
    if (SparkExpressions.evalMode(sum) == EvalMode.LEGACY) None else Some(sum)

  /**
   * Spark adds the rows of a frame from first to last, and fails (or, for `try_sum`, returns null) when one of these additions
   * overflows. Partial sums may overflow at other additions. If the magnitudes add up to less than half the type's range, no
   * addition overflows in any order.
   */
  final private case class Summed(function: Sum) extends MergedExactly with InKernels {
    private def value = function.child

    override protected def kernel: Option[KernelCall] =
      if (isFloating(value)) Some(KernelCall(ArrayKernel.SumDoubles, double(value), 1))
      else if (isIntegral(value)) Some(KernelCall(ArrayKernel.SumLongs(checked(function)), long(value), 1))
      else ofDecimals(function)((_, result) => Some(ArrayKernel.SumDecimals(greatest(result))))

    override def guard: Option[FunctionDescription] =
      if (value.dataType == LongType && checked(function).isDefined)
        Descriptions.guard(value, MagnitudeExceeds.LongLimit)
      else ofInterval(value)

    override def inGroups: Expression = ofGroups(function, value)
    override def dependsOnOrder: Boolean = false

    // Whether an intermediate sum overflows depends on the order.
    override def orderSensitivity: OrderSensitivity =
      if (name.startsWith("try_") && !isFloating(value)) OrderSensitivity.VALUE
      else Descriptions.ofSums(function)
  }

  final private case class Averaged(function: Average) extends MergedExactly with InKernels {
    override protected def kernel: Option[KernelCall] =
      if (isPrimitive(function.child)) Some(KernelCall(ArrayKernel.MeanDoubles, double(function.child), 1))
      else
        ofDecimals(function) { (value, result) =>
          if (result.scale > MostDigitsOfMean) None
          else Some(ArrayKernel.MeanDecimals(powerOfTen(result.scale - value.scale)))
        }

    override def guard: Option[FunctionDescription] = ofInterval(function.child)
    override def inGroups: Expression = ofGroups(function, function.child)
    override def dependsOnOrder: Boolean = false
    override def orderSensitivity: OrderSensitivity = Descriptions.ofSums(function)
  }

  final private case class OfGroups(function: DecimalsOfGroups) extends MergedExactly {
    override def ofState: Expression = function.function
    override def dependsOnOrder: Boolean = false
    override def orderSensitivity: OrderSensitivity = Families.of(function.function).orderSensitivity
  }

  /** The kernel over unscaled values. Rows with values of more than 64 bits are evaluated row by row. */
  private def ofDecimals(function: DeclarativeAggregate)(
      kernel: (DecimalType, DecimalType) => Option[ArrayKernel]
  ): Option[KernelCall] = (function.children.head.dataType, function.dataType) match {
    case (value: DecimalType, result: DecimalType) if isUsuallyWhole(value) =>
      kernel(value, result).map(KernelCall(_, long(function.children.head), 1))
    case _ => None
  }

  /** The greatest unscaled value of a type that fits into 64 bits. */
  private def greatest(kind: DecimalType): Long =
    if (kind.precision > Decimal.MAX_LONG_DIGITS) Long.MaxValue else powerOfTen(kind.precision) - 1

  private def powerOfTen(digits: Int): Long = math.pow(10, digits).toLong

  /**
   * The largest scale of a mean in array kernels. Spark first rounds a quotient to 39 digits. At this scale and below, the rounding
   * does not change means of at most 10^13^ values.
   */
  private val MostDigitsOfMean = 26

  private def ofGroups(function: DeclarativeAggregate, input: Expression): Expression = input.dataType match {
    case _: DecimalType => DecimalsOfGroups(function)
    case _              => function
  }

  private def ofInterval(input: Expression): Option[FunctionDescription] = input.dataType match {
    case _: DayTimeIntervalType   => Descriptions.guard(input, MagnitudeExceeds.LongLimit)
    case _: YearMonthIntervalType => Descriptions.guard(input, MagnitudeExceeds.IntLimit)
    case _                        => None
  }
}
