package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate
import org.apache.spark.sql.catalyst.expressions.aggregate.{Mode => _, _}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.{DistinctAggregate, DistinctRows, GroupingKeys, SparkProbes}
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.MultisetFunction._
import org.slidewise.spark.shims.{ModeTies, SparkExpressions}

/** Plans DISTINCT aggregates, percentiles and modes that the core's multiset kernels can evaluate. */
private[planning] object MultisetPlanner {
  import ArrayInputs._

  /** How the kernels evaluate the function over the frame; none if they cannot. */
  def of(
      function: AggregateFunction,
      filter: Option[Expression],
      frame: ArrayFrame
  ): Option[ArrayFunction.OfMultiset] =
    for {
      (kernel, input) <- found(function, filter)
      if function.deterministic && filter.forall(_.deterministic)
    } yield ArrayFunction.OfMultiset(kernel, input, function.dataType, frame)

  /** Whether the kernels can, and by the settings may, evaluate the function over its frame. */
  def takes(window: WindowExpression): Boolean =
    WindowCall.of(Alias(window, "_we")()).exists { call =>
      val isRecalculated = call.function match {
        case f: AggregateFunction => MergePolicy.of(SQLConf.get).isRecalculated(f)
        case _                    => false
      }
      !isRecalculated && SlidewiseSettings.sort(SQLConf.get) &&
      ArrayPlanner.of(call, window.windowSpec.orderSpec, SQLConf.get.sessionLocalTimeZone).isDefined
    }

  /** Whether Spark goes over the distinct values of a frame for each result, also where the frame only grows. */
  def evaluatesAllValues(function: Expression): Boolean = function match {
    case _: DistinctAggregate | _: PercentileBase | _: ApproximatePercentile | _: aggregate.Mode => true
    case _                                                                                       => false
  }

  private def found(
      function: AggregateFunction,
      filter: Option[Expression]
  ): Option[(MultisetFunction, Expression)] = function match {
    case DistinctAggregate(distinct, _, _)  => ofDistinct(distinct, filter)
    case percentile: PercentileBase         => ofPercentile(percentile).map(filterInput(filter))
    case approximate: ApproximatePercentile => ofApproximate(approximate).map(filterInput(filter))
    case mode: aggregate.Mode               => ofMode(mode).map(filterInput(filter))
    case _                                  => None
  }

  private def filterInput(filter: Option[Expression])(
      planned: (MultisetFunction, Expression)
  ): (MultisetFunction, Expression) = (planned._1, filtered(planned._2, filter))

  private def ofDistinct(
      function: AggregateFunction,
      filter: Option[Expression]
  ): Option[(MultisetFunction, Expression)] = function match {
    case Count(values)                            => Some((DistinctCount, counted(values, filter)))
    case sum @ Sum(value, _) if isIntegral(value) =>
      val wraps = SparkExpressions.evalMode(sum) == EvalMode.LEGACY
      Some((DistinctLongSum(if (wraps) None else Some(sum)), filtered(long(value), filter)))
    case Sum(value, _) if isFractional(value)   => Some((DistinctDoubleSum, filtered(double(value), filter)))
    case Average(value, _) if isIntegral(value) => Some((DistinctLongMean, filtered(long(value), filter)))
    case Average(value, _) if isFractional(value) =>
      Some((DistinctDoubleMean, filtered(double(value), filter)))
    case _ => None
  }

  /** A number for each distinct tuple of `values`; null where one of them is. */
  private def counted(values: Seq[Expression], filter: Option[Expression]): Expression =
    values match {
      case Seq(value) if isFractional(value)     => filtered(double(value), filter)
      case Seq(value) if isWhole(value.dataType) => filtered(long(value), filter)
      case _                                     =>
        val noNull = noneNull(values)
        val keys = values.map(value => DistinctRows.keyOf(GroupingKeys.normalized(value)))
        DictionaryCode(keys, filter.fold(noNull)(And(_, noNull)))
    }

  private def ofPercentile(function: PercentileBase): Option[(MultisetFunction, Expression)] =
    for {
      method <- QuantileMethod.of(function)
      if isOne(function.frequencyExpression)
      planned <- quantile(method, function.child, function.percentageExpression, function.reverse)
    } yield planned

  private def isOne(frequency: Expression): Boolean = frequency match {
    case Literal(value: Number, _) => value.longValue == 1L
    case _                         => false
  }

  private def quantile(
      method: QuantileMethod,
      child: Expression,
      percentage: Expression,
      descending: Boolean
  ): Option[(MultisetFunction, Expression)] = (percentage.dataType, child.dataType) match {
    case (DoubleType, _) if isFractional(child) =>
      Some((Quantile(method, fraction(percentage), descending, scale = 0), double(child)))
    case (DoubleType, decimal: DecimalType) if isWhole(decimal) =>
      Some((Quantile(method, fraction(percentage), descending, decimal.scale), long(child)))
    case (DoubleType, kind) if isWhole(kind) =>
      Some((Quantile(method, fraction(percentage), descending, scale = 0), long(child)))
    case _ => None
  }

  private def fraction(percentage: Expression): Double = percentage.eval().asInstanceOf[Double]

  private def ofApproximate(function: ApproximatePercentile): Option[(MultisetFunction, Expression)] =
    if (function.percentageExpression.dataType != DoubleType) None
    else {
      val quantile =
        Quantile(QuantileMethod.Approximate, fraction(function.percentageExpression), descending = false, 0)
      function.child.dataType match {
        case decimal: DecimalType if decimal.precision > ExactDigits => None
        case _: NumericType        => Some((quantile, double(function.child)))
        case kind if isWhole(kind) => Some((quantile, long(function.child)))
        case _                     => None
      }
    }

  private def ofMode(function: aggregate.Mode): Option[(MultisetFunction, Expression)] = {
    val kernel = Mode(ModeTies.takesGreatest(function), SparkProbes.modeJoinsZeros)
    if (isFractional(function.child)) Some((kernel, double(function.child)))
    else if (isWhole(function.child.dataType)) Some((kernel, long(function.child)))
    else None
  }

  /** Decimals of so many digits are as many doubles, and none of these leaves the type. */
  private val ExactDigits = 15
}
