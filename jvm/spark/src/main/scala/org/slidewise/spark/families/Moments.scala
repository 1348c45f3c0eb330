package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.plan._

/** Variances, standard deviations, skewness, kurtosis, covariances, correlations and linear regressions. */
private[families] object Moments extends FunctionFamily {
  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f @ (_: CentralMomentAgg | _: Covariance | _: PearsonCorrelation) =>
      OfMoments(f.asInstanceOf[AggregateFunction])
    case f @ (_: RegrSlope | _: RegrIntercept) => Regression(f.asInstanceOf[AggregateFunction])
  }

  final private case class OfMoments(function: AggregateFunction) extends MergedExactly with InKernels {
    override protected def kernel: Option[KernelCall] = function match {
      case StddevPop(value, _)             => variance(value, 0, root = true, 1)
      case VariancePop(value, _)           => variance(value, 0, root = false, 1)
      case StddevSamp(value, nullForOne)   => variance(value, 1, root = true, sample(nullForOne))
      case VarianceSamp(value, nullForOne) => variance(value, 1, root = false, sample(nullForOne))
      case _                               => None
    }

    private def variance(value: Expression, lost: Int, root: Boolean, atLeast: Int) =
      Some(KernelCall(ArrayKernel.Variance(lost, root), value, atLeast))

    // One value alone has no sample variance: NaN, or null.
    private def sample(nullForOne: Boolean): Int = if (nullForOne) 2 else 1

    override def momentCounts: Seq[Int] = Seq(0)
    override def dependsOnOrder: Boolean = false
    override def orderSensitivity: OrderSensitivity = Descriptions.ofSums(function)
  }

  final private case class Regression(function: AggregateFunction) extends MergedExactly {
    // The buffer holds a covariance (a count, two means and a sum), and then a variance.
    override def momentCounts: Seq[Int] = Seq(0, 4)
    override def dependsOnOrder: Boolean = false
    override def orderSensitivity: OrderSensitivity = Descriptions.ofSums(function)
  }
}
