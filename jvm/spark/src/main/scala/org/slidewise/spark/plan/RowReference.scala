package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * A function whose result is the value of one row of the frame, selected by the row's position alone. Examples are `first_value`,
 * `last_value`, `nth_value`, `lag` and `lead`, all without IGNORE NULLS.
 *
 * @param value
 *   the expression that is read from the row; none for the number of rows in the frame
 * @param n
 *   the row's place in the frame, from 1 on; the result is null if the frame has fewer rows
 * @param fromEnd
 *   whether rows are counted from the last one back
 */
final case class RowReference(value: Option[Expression], n: Int, fromEnd: Boolean)
