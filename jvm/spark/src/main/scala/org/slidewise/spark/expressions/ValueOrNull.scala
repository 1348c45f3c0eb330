package org.slidewise.spark.expressions

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

/**
 * The value of an expression; null if its evaluation fails. Spark's TryEval lets generated code evaluate a part that occurs twice
 * outside of it, where it fails.
 */
private[spark] final case class ValueOrNull(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true

  override def eval(row: InternalRow): Any =
    try child.eval(row)
    catch { case NonFatal(_) => null }

  override protected def withNewChildInternal(child: Expression): Expression = copy(child = child)
}
