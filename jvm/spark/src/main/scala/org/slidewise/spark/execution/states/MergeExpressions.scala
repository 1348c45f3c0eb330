package org.slidewise.spark.execution.states

import org.apache.spark.sql.catalyst.expressions.{EqualTo, Expression, If, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

import org.slidewise.spark.plan.FunctionDescription

/** The merge of two states of a declarative aggregate: Spark's merge, made exact for an empty state. */
private[execution] object MergeExpressions {

  /**
   * The merge expressions of a declarative aggregate. Spark's merge of moments (variance, covariance, correlation, regression)
   * moves the mean by a rounded step, even if a state has no rows. A column of equal values would then not have a variance of
   * zero. The buffer of a moment starts with its count.
   */
  def of(description: FunctionDescription): Seq[Expression] = {
    val function = description.aggregate.asInstanceOf[DeclarativeAggregate]
    val older = function.aggBufferAttributes
    val newer = function.inputAggBufferAttributes
    val counts = description.momentCounts
    function.mergeExpressions.zipWithIndex.map { case (merged, i) =>
      counts.filter(_ <= i).lastOption.fold(merged) { count =>
        def isEmpty(n: Expression) = EqualTo(n, Literal(0.0))
        If(isEmpty(older(count)), newer(i), If(isEmpty(newer(count)), older(i), merged))
      }
    }
  }
}
