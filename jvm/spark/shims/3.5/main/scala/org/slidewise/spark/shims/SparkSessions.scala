package org.slidewise.spark.shims

import org.apache.spark.sql.{Dataset, SparkSession}
import org.apache.spark.sql.execution.QueryExecution

object SparkSessions {
  type Session = SparkSession

  def of(session: SparkSession): Session = session
  def queryOf(data: Dataset[_]): QueryExecution = data.queryExecution
}
