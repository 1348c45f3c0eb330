package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, RuntimeReplaceableAggregate}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/**
 * `function` over a window with an order or a frame, where Spark refuses it by its class although it can evaluate it. The
 * optimizer replaces this expression by the function.
 */
final case class OverAnyFrame(function: AggregateFunction)
    extends AggregateFunction
    with RuntimeReplaceableAggregate {

  override def replacement: Expression = function match {
    case replaceable: RuntimeReplaceableAggregate => replaceable.replacement
    case other                                    => other
  }

  override def children: Seq[Expression] = Seq(function)
  override def prettyName: String = function.prettyName
  override def sql(isDistinct: Boolean): String = function.sql(isDistinct)
  override def toAggString(isDistinct: Boolean): String = function.toAggString(isDistinct)
  override def toString: String = function.toString

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): OverAnyFrame =
    copy(function = children.head.asInstanceOf[AggregateFunction])
}
