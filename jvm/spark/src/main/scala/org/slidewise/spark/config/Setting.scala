package org.slidewise.spark.config

import scala.util.control.NonFatal

import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.errors.RefusedQuery

/** A setting under `spark.slidewise.` that is registered with Spark, so that `SET` checks its value and `SET -v` lists it. */
final class Setting[T] private (val key: String, read: SQLConf => T) {

  /** The value in `conf`. Fails with [[InvalidSetting]] if the value is not valid. */
  def apply(conf: SQLConf): T = read(conf)
}

object Setting {

  /**
   * Registers a setting with a default value.
   *
   * @param since
   *   the version of Slidewise that introduced the setting
   * @param allowed
   *   the valid values in words, for error messages and the documentation
   * @param parse
   *   fails if the value is not valid
   * @param show
   *   the inverse of `parse`, with which `SET` prints the default
   */
  def withDefault[T](key: String, default: String, since: String, allowed: String, doc: String)(
      parse: String => T,
      show: T => String = (_: T).toString
  ): Setting[T] =
    new Setting(
      key,
      ConfigEntries.withDefault(
        key,
        described(doc, allowed),
        since,
        default,
        checked(key, allowed, parse),
        show
      )
    )

  /** Registers a setting that may be left unset. */
  def optional[T](key: String, since: String, allowed: String, doc: String)(
      parse: String => T,
      show: T => String = (_: T).toString
  ): Setting[Option[T]] =
    new Setting(
      key,
      ConfigEntries.optional(key, described(doc, allowed), since, checked(key, allowed, parse), show)
    )

  private def described(doc: String, allowed: String) = s"$doc Allowed: $allowed."

  private def checked[T](key: String, allowed: String, parse: String => T): String => T = value =>
    try parse(value.trim)
    catch {
      // Spark ignores the parsed value here. A session with an invalid start-up value can still be opened and corrected.
      case NonFatal(_) if isCopying => null.asInstanceOf[T]
      case NonFatal(_)              => throw new InvalidSetting(key, value, allowed)
    }

  /** Whether Spark is copying settings into a new session, rather than setting or reading one. */
  private def isCopying: Boolean =
    StackWalker.getInstance.walk[Boolean](_.anyMatch(isCopy(_)))

  private def isCopy(frame: StackWalker.StackFrame): Boolean =
    frame.getClassName.startsWith(classOf[SQLConf].getName) && CopyMethods(frame.getMethodName)

  private val CopyMethods = Set("mergeSparkConf", "mergeNonStaticSQLConfigs", "clone")
}

/** A setting with an invalid value. */
final class InvalidSetting(key: String, value: String, allowed: String)
    extends RefusedQuery(
      InvalidSetting.Condition,
      InvalidSetting.SqlState,
      s"The setting $key = $value is invalid. Allowed: $allowed",
      Map("setting" -> key, "value" -> value, "allowed" -> allowed)
    )

object InvalidSetting {
  val Condition = "SLIDEWISE_INVALID_SETTING"
  val SqlState = "22023"
}
