package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, ExprId, LeafExpression, Unevaluable}
import org.apache.spark.sql.types.DataType

/** A column with a given SQL text. */
final private[spark] case class ColumnText(override val sql: String, dataType: DataType)
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = true
}

private[spark] object ColumnText {

  /** The expression, with its columns replaced by their SQL texts. */
  def in(expression: Expression, columns: ExprId => Option[Identity]): Expression = expression.transform {
    case column: Attribute => ColumnText(columns(column.exprId).fold(column.name)(_.sql), column.dataType)
  }
}
