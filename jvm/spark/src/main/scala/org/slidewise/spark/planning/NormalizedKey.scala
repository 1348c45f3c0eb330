package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}

import org.slidewise.spark.expressions.GroupingKeys

/** Normalizes a grouping expression as Spark's planner does, so that equal numbers have equal bytes. */
private[planning] object NormalizedKey {
  def of(key: NamedExpression): NamedExpression = GroupingKeys.normalized(key) match {
    case named: NamedExpression => named
    case other                  => Alias(other, key.name)(exprId = key.exprId)
  }
}
