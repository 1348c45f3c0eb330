package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression, Unevaluable}
import org.apache.spark.sql.types.DataType

/**
 * Placeholder for the time of a hopping `window()` until Slidewise resolves the window. The placeholder is never resolved, so
 * Spark's analyzer does not expand the window first.
 */
final case class DeferredTime(child: Expression) extends UnaryExpression with Unevaluable {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override def toString: String = child.toString
  override def sql: String = child.sql

  override protected def withNewChildInternal(newChild: Expression): DeferredTime = copy(child = newChild)
}
