package org.slidewise.spark.shims

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.expressions.Cast

object SparkErrors {
  def conditionOf(error: SparkThrowable): String = error.getCondition

  /** The parameter of Spark's errors that names the called function. */
  val RoutineName = "routineName"

  /** The parameter `paramIndex` of Spark's errors for the argument at `index`. */
  def parameterIndex(index: Int): String = Cast.ordinalNumber(index)
}

/** An error with an error class. */
trait ErrorWithCondition extends SparkThrowable {
  def condition: String
  override def getCondition: String = condition
}
