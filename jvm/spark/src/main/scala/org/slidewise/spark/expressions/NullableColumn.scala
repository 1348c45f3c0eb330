package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType

/**
 * A column that may have no null in any row, in an expression that is also evaluated over a row of nulls, as after an outer join. Keeps
 * Spark's optimizer from what holds without nulls only.
 */
final case class NullableColumn(child: Expression) extends UnaryExpression {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def sql: String = child.sql
  override def toString: String = child.toString

  override def eval(row: InternalRow): Any = child.eval(row)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = child.genCode(ctx)

  override protected def withNewChildInternal(newChild: Expression): NullableColumn = copy(child = newChild)
}
