package org.slidewise.spark.errors

import java.util.{Map => JMap}

import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.sql.internal.StaticSQLConf

import org.slidewise.spark.shims.ErrorWithCondition

/** A function argument with an invalid value in a row, which only the task that reads the row can find. */
final class InvalidArgument(function: String, argument: String, value: String, allowed: String)
    extends IllegalArgumentException(
      s"[${InvalidArgument.Condition}] `$argument` of `$function` is $value: it must be $allowed. " +
        s"SQLSTATE: ${InvalidArgument.SqlState}"
    )
    with ErrorWithCondition {

  override def condition: String = InvalidArgument.Condition
  override def getSqlState: String = InvalidArgument.SqlState
  override def getMessageParameters: JMap[String, String] =
    MessageParameters(
      "functionName" -> function,
      "argument" -> argument,
      "value" -> value,
      "allowed" -> allowed
    )

  // A driver that was started without this jar cannot deserialise this class.
  private def writeReplace(): AnyRef =
    if (InvalidArgument.driverKnows) this
    else {
      val known = new IllegalArgumentException(getMessage)
      known.setStackTrace(getStackTrace)
      known
    }
}

object InvalidArgument {
  val Condition = "SLIDEWISE_INVALID_ARGUMENT"
  val SqlState = "22023"

  /** The name in `spark.sql.extensions`, as text: the class belongs to a package above this one. */
  private val ExtensionClass = ".SlidewiseExtensions"

  private def driverKnows = Option(SparkEnv.get).exists(
    _.conf.get(StaticSQLConf.SPARK_SESSION_EXTENSIONS.key, "").contains(ExtensionClass)
  )

  /**
   * Decodes `bytes` with `how`, and fails with [[InvalidArgument]] if they cannot be decoded.
   *
   * @param allowed
   *   the valid values in words
   */
  private[spark] def read[A](function: String, argument: String, allowed: String, bytes: Array[Byte])(
      how: Array[Byte] => A
  ): A =
    try how(bytes)
    catch {
      case NonFatal(e) =>
        val because = Option(e.getMessage).filter(_.startsWith("bytes ")).fold("")(m => s" (${m.drop(6)})")
        val value = s"${bytes.length} bytes that are no $argument$because"
        throw new InvalidArgument(function, argument, value, allowed)
    }
}
