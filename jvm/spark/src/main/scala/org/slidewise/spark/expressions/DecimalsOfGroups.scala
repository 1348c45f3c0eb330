package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.{DataType, DecimalType}

/**
 * A sum or mean of decimals with the results and errors of `GROUP BY`. There a buffer cannot hold a sum that exceeds its type: the
 * sum is null. Buffers of windows hold it.
 */
final case class DecimalsOfGroups(function: DeclarativeAggregate) extends DeclarativeAggregate {

  override def children: Seq[Expression] = function.children
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = function.nullable
  override def prettyName: String = function.prettyName
  override def sql: String = function.sql
  override def toString: String = function.toString

  override lazy val aggBufferAttributes: Seq[AttributeReference] = function.aggBufferAttributes
  override lazy val inputAggBufferAttributes: Seq[AttributeReference] = function.inputAggBufferAttributes
  override lazy val initialValues: Seq[Expression] = function.initialValues
  override lazy val updateExpressions: Seq[Expression] = function.updateExpressions
  override lazy val mergeExpressions: Seq[Expression] = function.mergeExpressions

  override lazy val evaluateExpression: Expression = {
    val decimals = aggBufferAttributes.collect { case a @ AttributeReference(_, decimal: DecimalType, _, _) =>
      a.exprId -> decimal
    }.toMap
    function.evaluateExpression.transformUp {
      case a: AttributeReference if decimals.contains(a.exprId) =>
        CheckOverflow(a, decimals(a.exprId), nullOnOverflow = true)
    }
  }

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): DecimalsOfGroups =
    copy(function.withNewChildren(children).asInstanceOf[DeclarativeAggregate])
}
