package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.plan._

/** Aggregates of bits, and bitmaps. */
private[families] object Bits extends FunctionFamily {
  private val bitmaps = Descriptions.classes("BitmapConstructAgg", "BitmapOrAgg", "BitmapAndAgg")

  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f @ (_: BitAndAgg | _: BitOrAgg | _: BitXorAgg) => OfBits(f)
    case f if bitmaps(f.getClass.getName)                => Bitmap(f)
  }

  final private case class OfBits(function: Expression) extends MergedExactly {
    override def dependsOnOrder: Boolean = false
    override def orderSensitivity: OrderSensitivity = OrderSensitivity.NONE
  }

  final private case class Bitmap(function: Expression) extends MergedExactly {
    override def orderSensitivity: OrderSensitivity = OrderSensitivity.NONE
  }
}
