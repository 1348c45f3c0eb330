package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.ExprId

/**
 * The identity of an expression, by which a restarted query is compared with its checkpoint.
 *
 * @param canonical
 *   a text that is the same in each run of a query, and different for expressions that may have different results
 * @param sql
 *   the SQL text for messages
 */
final case class Identity(canonical: String, sql: String) {
  override def toString: String = sql
}

/**
 * The identity of a window over a stream, from its analyzed plan.
 *
 * @param columns
 *   the columns below the window in terms of the columns of the sources, in the order of the analyzed plan
 * @param functions
 *   the window functions without their windows, by the columns of the window
 */
final case class StreamIdentity(columns: Seq[Identity], functions: Map[ExprId, Identity])

/**
 * The identity of a window over a stream, in an optimized plan.
 *
 * @param columns
 *   the columns below the window, in terms of the columns of the sources
 * @param functions
 *   the window functions without their windows, by the columns of the window
 */
final case class WindowIdentity(columns: Map[ExprId, Identity], functions: Map[ExprId, Identity])

/**
 * The identity of a streaming aggregation, from its analyzed plan.
 *
 * @param keys
 *   the grouping expressions
 * @param functions
 *   the aggregate functions, by the identifiers of their results
 * @param groupedBy
 *   the columns among the grouping expressions
 */
final case class AggregationIdentity(
    keys: Seq[Identity],
    functions: Map[ExprId, Identity],
    groupedBy: Set[ExprId]
)
