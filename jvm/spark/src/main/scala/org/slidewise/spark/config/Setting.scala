package org.slidewise.spark.config

import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.errors.RefusedQuery

/** A setting under `spark.slidewise.` that is registered with Spark, so that `SET` checks its value and `SET -v` lists it. */
final class Setting[T] private (val key: String, read: SQLConf => T) {

  /** The value in `conf`. Fails with [[InvalidSetting]] if the value is not valid. */
  def apply(conf: SQLConf): T = read(conf)
}

object Setting {

  /** A value, or the error of an invalid one. */
  private type Parsed[T] = Either[Throwable, T]

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
  ): Setting[T] = {
    val read = ConfigEntries.withDefault[Parsed[T]](
      key,
      described(doc, allowed),
      since,
      default,
      checked(key, allowed, parse),
      _.fold(throw _, show)
    )
    new Setting(key, conf => read(conf).fold(throw _, identity))
  }

  /** Registers a setting that may be left unset. */
  def optional[T](key: String, since: String, allowed: String, doc: String)(
      parse: String => T,
      show: T => String = (_: T).toString
  ): Setting[Option[T]] = {
    val read = ConfigEntries.optional[Parsed[T]](
      key,
      described(doc, allowed),
      since,
      checked(key, allowed, parse),
      _.fold(throw _, show)
    )
    new Setting(key, conf => read(conf).map(_.fold(throw _, identity)))
  }

  private def described(doc: String, allowed: String) = s"$doc Allowed: $allowed."

  /**
   * Refuses an invalid value when it is set. A value of the application's configuration, with which every session starts, is
   * refused when it is read: the session starts, and the value can be corrected.
   */
  private def checked[T](key: String, allowed: String, parse: String => T): String => Parsed[T] = value =>
    try Right(parse(value.trim))
    catch {
      case NonFatal(_) =>
        val invalid = new InvalidSetting(key, value, allowed)
        if (isOfApplication(key, value)) Left(invalid) else throw invalid
    }

  private def isOfApplication(key: String, value: String): Boolean =
    Option(SparkEnv.get).exists(_.conf.getOption(key).contains(value))
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
