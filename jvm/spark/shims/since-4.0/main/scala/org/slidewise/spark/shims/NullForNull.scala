package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.Expression

/** An expression that is null if any of its children is. */
trait NullForNull extends Expression {
  override def nullIntolerant: Boolean = true
}
