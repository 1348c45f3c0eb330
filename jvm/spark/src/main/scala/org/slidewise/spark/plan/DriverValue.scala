package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}

/**
 * One row with the value of an expression without references, which the driver computes.
 *
 * @param result
 *   the column of the value
 */
final case class DriverValue(value: Expression, result: Attribute) extends LeafNode {
  override def output: Seq[Attribute] = Seq(result)
  override def producedAttributes: AttributeSet = outputSet
  override def maxRows: Option[Long] = Some(1L)
  override def computeStats(): Statistics =
    Statistics(sizeInBytes = result.dataType.defaultSize, rowCount = Some(1))
}
