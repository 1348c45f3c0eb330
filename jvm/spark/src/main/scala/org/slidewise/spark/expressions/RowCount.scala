package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, DeclarativeAggregate}

/** `count(*)`. */
private[spark] object RowCount {
  def function: DeclarativeAggregate = Count(Literal(1))
}
