package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** An aggregate function over a frame. */
final case class FramedFunction(
    function: AggregateFunction,
    filter: Option[Expression],
    frame: Frame
)

/**
 * A window expression in terms of aggregate functions over frames, which can be evaluated row by row.
 *
 * @param result
 *   builds the window expression from the results of `functions`
 */
final case class FramedFunctions(functions: Seq[FramedFunction], result: Seq[Attribute] => Expression)
