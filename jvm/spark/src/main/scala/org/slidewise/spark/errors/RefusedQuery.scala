package org.slidewise.spark.errors

import org.apache.spark.sql.AnalysisException

/**
 * An analysis error with an error class of Slidewise, raised before any task starts.
 *
 * @param condition
 *   the error class
 * @param text
 *   the error and the allowed values, without the final full stop
 * @param parameters
 *   the message parameters, by name
 */
abstract class RefusedQuery(
    condition: String,
    sqlState: String,
    text: String,
    parameters: Map[String, String]
) extends AnalysisException(
      s"[$condition] $text. SQLSTATE: $sqlState",
      None,
      None,
      None,
      Some(condition),
      parameters,
      Array.empty
    )
