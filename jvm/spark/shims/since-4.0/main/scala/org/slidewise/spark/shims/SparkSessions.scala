package org.slidewise.spark.shims

import org.apache.spark.sql.{classic, Dataset, SparkSession}
import org.apache.spark.sql.execution.QueryExecution

/** The sessions and datasets of Spark's classic engine, which implement a common interface since 4.0. */
object SparkSessions {
  type Session = classic.SparkSession

  def of(session: SparkSession): Session = session.asInstanceOf[Session]
  def queryOf(data: Dataset[_]): QueryExecution = data.asInstanceOf[classic.Dataset[_]].queryExecution
}
