package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, ExprId, LeafExpression, Unevaluable}
import org.apache.spark.sql.types.DataType

/** A column of which the SQL is known. */
final private[spark] case class ColumnText(override val sql: String, dataType: DataType)
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = true
}

private[spark] object ColumnText {

  /** The expression over columns by their SQL. */
  def in(expression: Expression, columns: ExprId => Option[Identity]): Expression = expression.transform {
    case column: Attribute => ColumnText(columns(column.exprId).fold(column.name)(_.sql), column.dataType)
  }
}
