package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.ExprId

/**
 * An expression by which a restarted query is compared with its checkpoint.
 *
 * @param canonical
 *   the same in each run of a query, and different for expressions that may have different results
 * @param sql
 *   for messages
 */
final case class Identity(canonical: String, sql: String) {
  override def toString: String = sql
}

/**
 * What a window over a stream computes, as its analyzed plan says.
 *
 * @param columns
 *   the columns below the window in terms of the columns of the sources, in the order of the analyzed plan
 * @param functions
 *   the window functions without their windows, by the columns of the window
 */
final case class StreamIdentity(columns: Seq[Identity], functions: Map[ExprId, Identity])

/**
 * The same in a plan that has been optimized.
 *
 * @param columns
 *   the columns below the window, in terms of the columns of the sources
 * @param functions
 *   the window functions without their windows, by the columns of the window
 */
final case class WindowIdentity(columns: Map[ExprId, Identity], functions: Map[ExprId, Identity])

/**
 * What a streaming aggregation computes, as its analyzed plan says.
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
