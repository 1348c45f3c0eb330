package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{Collect, TypedAggregateWithHashMapAsBuffer}

import org.slidewise.spark.plan._

/** Functions whose buffers hold the values of their rows: `collect_list`, `collect_set`, `listagg`, pivots. */
private[families] object Collections extends FunctionFamily {
  private val pivots = Descriptions.classes("PivotFirst")

  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f @ (_: Collect[_] | _: TypedAggregateWithHashMapAsBuffer) => Collected(f)
    case f if pivots(f.getClass.getName)                            => Collected(f)
  }

  final private case class Collected(function: Expression) extends FunctionDescription {
    override def merging: Merging = Merging.HoldsRows
    override def isForeign: Boolean = !Descriptions.isOfSpark(function)

    // Each value of a pivot comes from one row at most.
    override def orderSensitivity: OrderSensitivity =
      if (pivots(function.getClass.getName)) OrderSensitivity.NONE else OrderSensitivity.VALUE
  }
}
