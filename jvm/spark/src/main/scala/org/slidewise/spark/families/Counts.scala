package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.Count

import org.slidewise.spark.plan._

/** `count`. */
private[families] object Counts extends FunctionFamily {
  override def describe: PartialFunction[Expression, FunctionDescription] = { case count: Count =>
    Counted(count)
  }

  final private case class Counted(function: Count) extends MergedExactly with InKernels {
    override protected def kernel: Option[KernelCall] = Some(
      KernelCall(ArrayKernel.CountValues, ArrayInputs.oneIf(ArrayInputs.noneNull(function.children)), 0)
    )

    override def reference: Option[RowReference] =
      if (function.children.forall(value => value.foldable && !value.nullable))
        Some(RowReference(None, 1, fromEnd = false))
      else None

    override def countsRows: Boolean = function.children.forall(!_.nullable)
    override def dependsOnOrder: Boolean = false
    override def orderSensitivity: OrderSensitivity = OrderSensitivity.NONE
  }
}
