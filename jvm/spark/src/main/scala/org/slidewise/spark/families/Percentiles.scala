package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.SparkProbes
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.MultisetFunction.Quantile
import org.slidewise.spark.plan.RowMultiset.Quantiles

/** `percentile`, `median`, `percentile_cont`, `percentile_disc` and `percentile_approx`. */
private[families] object Percentiles extends FunctionFamily {
  import ArrayInputs._

  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f: PercentileBase                   => Exactly(f)
    case f: ApproximatePercentile            => Approximately(f)
    case f @ (_: Median | _: PercentileCont) => Replaced(f.asInstanceOf[AggregateFunction])
  }

  final private case class Exactly(function: PercentileBase) extends InMultisets {
    private def child = function.child

    override def sqlOf(renamed: Expression): String = renamed match {
      case f: Percentile if f.reverse => s"${super.sqlOf(f)} WITHIN GROUP (ORDER BY ${f.child.sql} DESC)"
      case other                      => super.sqlOf(other)
    }

    override def merging: Merging = Merging.HoldsRows
    override def orderSensitivity: OrderSensitivity = OrderSensitivity.DIGITS
    override def isOfWholePartitions: Boolean = function.isInstanceOf[PercentileDisc]

    /** The method by which Spark computes the quantile; none if Slidewise does not know it. */
    private def method: Option[QuantileMethod] = function match {
      case _: Percentile     => Some(QuantileMethod.Interpolated(SparkProbes.percentileByDifference))
      case f: PercentileDisc =>
        Some(if (f.legacyCalculation) QuantileMethod.Lower else QuantileMethod.Discrete)
      case _ => None
    }

    override def multiset: Option[Quantiles] = method
      .filter(_ => isFloating(child) || isWhole(child.dataType))
      .map { method =>
        Quantiles(
          function,
          method,
          child,
          function.frequencyExpression,
          function.percentageExpression,
          function.reverse,
          new CountedValues(function)
        )
      }

    override def multisetOfPartials: Option[Quantiles] = multiset

    override protected def kernel(filter: Option[Expression]): Option[(MultisetFunction, Expression)] =
      for {
        method <- method
        if isOne(function.frequencyExpression) && function.percentageExpression.dataType == DoubleType
        (input, scale) <- input
        fraction = function.percentageExpression.eval().asInstanceOf[Double]
      } yield (Quantile(method, fraction, function.reverse, scale), filtered(input, filter))

    private def input: Option[(Expression, Int)] = child.dataType match {
      case _ if isFloating(child)                   => Some((double(child), 0))
      case decimal: DecimalType if isWhole(decimal) => Some((long(child), decimal.scale))
      case kind if isWhole(kind)                    => Some((long(child), 0))
      case _                                        => None
    }

    override def parts: Seq[AggregateFunction] = function match {
      case f: Percentile     => fractions(f.percentageExpression).map(p => f.copy(percentageExpression = p))
      case f: PercentileDisc => fractions(f.percentageExpression).map(p => f.copy(percentageExpression = p))
      case _                 => Nil
    }
  }

  final private case class Approximately(function: ApproximatePercentile) extends InMultisets {
    private def child = function.child

    override def merging: Merging = Merging.Approximate
    override def mergeKeepsRight: Boolean = true

    /** Finds frames with NaN. A merge of summaries does not know where NaN sorts among numbers. */
    override def guard: Option[FunctionDescription] =
      if (isFloating(child)) Descriptions.guard(If(IsNaN(child), Literal(1.0), Literal(0.0)), 1.0)
      else None

    override def multisetOfPartials: Option[Quantiles] = Some(
      Quantiles(
        function,
        QuantileMethod.Approximate,
        child,
        Literal(1L),
        function.percentageExpression,
        descending = false,
        new SampledValues(function)
      )
    )

    override protected def kernel(filter: Option[Expression]): Option[(MultisetFunction, Expression)] =
      if (function.percentageExpression.dataType != DoubleType) None
      else {
        val fraction = function.percentageExpression.eval().asInstanceOf[Double]
        input.map { input =>
          (Quantile(QuantileMethod.Approximate, fraction, descending = false, 0), filtered(input, filter))
        }
      }

    private def input: Option[Expression] = child.dataType match {
      case decimal: DecimalType if decimal.precision > ExactDigits => None
      case _: NumericType                                          => Some(double(child))
      case kind if isWhole(kind)                                   => Some(long(child))
      case _                                                       => None
    }

    override def parts: Seq[AggregateFunction] =
      fractions(function.percentageExpression).map(p => function.copy(percentageExpression = p))
  }

  /** Functions that the optimizer replaces by another quantile. */
  final private case class Replaced(function: AggregateFunction) extends FunctionDescription {
    override def merging: Merging = Merging.HoldsRows
    override def isOfWholePartitions: Boolean = true
  }

  /**
   * The greatest precision at which different decimals convert to different doubles, and each of these doubles converts back into
   * the type.
   */
  private val ExactDigits = 15

  private def isOne(frequency: Expression): Boolean = frequency match {
    case Literal(value: Number, _) => value.longValue == 1L
    case _                         => false
  }

  private def fractions(percentages: Expression): Seq[Literal] = percentages.dataType match {
    case _: ArrayType =>
      percentages.eval().asInstanceOf[ArrayData].toDoubleArray().toSeq.map(Literal(_, DoubleType))
    case _ => Nil
  }
}
