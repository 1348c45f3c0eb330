package org.slidewise.spark.expressions

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

/**
 * The value of an expression, or of a constant if its evaluation fails. Spark's TryEval lets generated code evaluate a part that
 * occurs twice outside of it, where it fails.
 */
private[spark] final case class ValueOrElse(left: Expression, right: Literal)
    extends BinaryExpression
    with CodegenFallback {
  override def dataType: DataType = left.dataType
  override def nullable: Boolean = left.nullable || right.nullable

  override def eval(row: InternalRow): Any =
    try left.eval(row)
    catch { case NonFatal(_) => right.value }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): ValueOrElse =
    newRight match {
      case constant: Literal => ValueOrElse(newLeft, constant)
      case other             => throw new IllegalArgumentException(s"$other is no constant")
    }
}

private[spark] object ValueOrElse {

  /** The value of the expression; null if its evaluation fails. */
  def orNull(e: Expression): ValueOrElse = ValueOrElse(e, Literal(null, e.dataType))
}
