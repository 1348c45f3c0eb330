package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, V2Aggregator}
import org.apache.spark.sql.execution.aggregate.{ScalaAggregator, ScalaUDAF, TypedAggregateExpression}

/** Which aggregate functions run code that neither Spark nor Slidewise wrote. */
private[spark] object UserCode {
  def isIn(function: AggregateFunction): Boolean = function match {
    case _: ScalaAggregator[_, _, _] | _: TypedAggregateExpression | _: V2Aggregator[_, _] | _: ScalaUDAF => true
    case other => !other.getClass.getName.startsWith("org.apache.spark.sql.catalyst.")
  }
}
