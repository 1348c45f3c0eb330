package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max, Min}

import org.slidewise.spark.expressions.DistinctRows
import org.slidewise.spark.plan._

/** `min` and `max`. */
private[families] object Extremes extends FunctionFamily {
  import ArrayInputs._

  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case min: Min => Extreme(min, min.child, ArrayKernel.MinDoubles, ArrayKernel.MinLongs)
    case max: Max => Extreme(max, max.child, ArrayKernel.MaxDoubles, ArrayKernel.MaxLongs)
  }

  final private case class Extreme(
      function: AggregateFunction,
      value: Expression,
      doubles: ArrayKernel,
      longs: ArrayKernel
  ) extends MergedExactly
      with InKernels {

    override protected def kernel: Option[KernelCall] =
      if (isFloating(value)) Some(KernelCall(doubles, double(value), 1))
      else if (isUsuallyWhole(value.dataType)) Some(KernelCall(longs, long(value), 1))
      else None

    // Of equal values that look different, such as strings with a collation, the older one is the result.
    override def dependsOnOrder: Boolean = !DistinctRows.hasEqualBytes(value.dataType)

    // Zeros and NaN have several forms.
    override def orderSensitivity: OrderSensitivity = {
      val types = Descriptions.buffers(function)
      if (types.forall(Descriptions.isExact)) OrderSensitivity.NONE
      else if (types.forall(DistinctRows.hasEqualBytes)) OrderSensitivity.DIGITS
      else OrderSensitivity.VALUE
    }
  }
}
