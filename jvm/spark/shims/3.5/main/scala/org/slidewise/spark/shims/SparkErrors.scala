package org.slidewise.spark.shims

import org.apache.spark.SparkThrowable

object SparkErrors {
  def conditionOf(error: SparkThrowable): String = error.getErrorClass

  /** The parameter of Spark's errors that names the called function. */
  val RoutineName = "functionName"

  /** The parameter `paramIndex` of Spark's errors for the argument at `index`. */
  def parameterIndex(index: Int): String = (index + 1).toString
}

/** An error with an error class. */
trait ErrorWithCondition extends SparkThrowable {
  def condition: String
  override def getErrorClass: String = condition
}
