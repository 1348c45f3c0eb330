package org.slidewise.spark.expressions

import java.util.{Map => JMap}

import org.apache.spark.SparkThrowable

/** A value in a row that a function cannot take: found only when the row is read. */
final class InvalidArgument(function: String, argument: String, value: String, allowed: String)
    extends IllegalArgumentException(
      s"[${InvalidArgument.Condition}] `$argument` of `$function` is $value: it must be $allowed. " +
        s"SQLSTATE: ${InvalidArgument.SqlState}"
    )
    with SparkThrowable {

  override def getCondition: String = InvalidArgument.Condition
  override def getSqlState: String = InvalidArgument.SqlState
  override def getMessageParameters: JMap[String, String] =
    JMap.of("functionName", function, "argument", argument, "value", value, "allowed", allowed)
}

object InvalidArgument {
  val Condition = "SLIDEWISE_INVALID_ARGUMENT"
  val SqlState = "22023"
}
