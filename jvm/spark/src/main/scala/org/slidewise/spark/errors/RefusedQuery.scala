package org.slidewise.spark.errors

import org.apache.spark.sql.AnalysisException

/** A query that is refused before any task starts, with an error class of Slidewise's own. */
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
