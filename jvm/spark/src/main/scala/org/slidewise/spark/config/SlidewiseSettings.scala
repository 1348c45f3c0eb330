package org.slidewise.spark.config

import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

/** The settings under `spark.slidewise.`; all may be changed in a running session. */
object SlidewiseSettings {

  /** What `spark.sql.extensions` names; a test holds it to the class. */
  val ExtensionClass = "org.slidewise.spark.SlidewiseExtensions"

  /** Whether Slidewise runs moving frames (default `true`); if not, Spark's own operator does. */
  val Enabled = "spark.slidewise.enabled"

  /**
   * The most memory that the states of one frame take in a task for the sake of speed (default `16m`). With more
   * states than that, Slidewise keeps some and makes the others again from the rows.
   */
  val MaxStateSize = "spark.slidewise.state.maxSize"

  /**
   * Whether functions that promise an answer within an error are answered from merged states (default `true`). That
   * keeps the promise and may give another answer within it; if `false`, they are recalculated row by row, and answer
   * as Spark does to the last bit.
   */
  val MergeApproximate = "spark.slidewise.mergeApproximate"

  /**
   * Whether Slidewise sorts the rows of a window with partition keys itself, by radix, and answers functions of numbers in
   * arrays (default `true`).
   */
  val Sort = "spark.slidewise.sort.enabled"

  val MergeUserAggregators = "spark.slidewise.mergeUserAggregators"
  val NeverMerge = "spark.slidewise.neverMerge"
  def mergeUserAggregators(conf: SQLConf): Boolean =
    conf.getConfString(MergeUserAggregators, "true").trim.toBoolean
  def neverMerge(conf: SQLConf): Set[String] =
    conf.getConfString(NeverMerge, "").split(',').map(_.trim.toLowerCase).filter(_.nonEmpty).toSet

  def sort(conf: SQLConf): Boolean = conf.getConfString(Sort, "true").trim.toBoolean
  def enabled(conf: SQLConf): Boolean = conf.getConfString(Enabled, "true").trim.toBoolean
  def mergeApproximate(conf: SQLConf): Boolean = conf.getConfString(MergeApproximate, "true").trim.toBoolean
  def maxStateBytes(conf: SQLConf): Long =
    JavaUtils.byteStringAsBytes(conf.getConfString(MaxStateSize, "16m"))

  /**
   * When rows of a stream are answered: `append` (default), as the watermark passes them, so that late rows find their place;
   * or `eager`, in the batch in which they arrive, and rows that come after a newer one of their key has been answered are
   * dropped.
   */
  val StreamMode = "spark.slidewise.streaming.mode"

  /**
   * How far the watermark goes past the last row of a key before what is kept of that key is given up, as an interval such as
   * `7 days`. By default only frames of a limited time forget a key, when nothing of it can be in a frame any more.
   */
  val StreamKeyTimeout = "spark.slidewise.streaming.keyTimeout"

  /**
   * A directory into which rows that come too late are written, as JSON, in a folder for each batch. By default they are only
   * counted.
   */
  val StreamLateRows = "spark.slidewise.streaming.lateRowsPath"

  def streamLateRowsPath(conf: SQLConf): Option[String] = Option(conf.getConfString(StreamLateRows, null))

  def streamEager(conf: SQLConf): Boolean = conf.getConfString(StreamMode, "append").trim.toLowerCase match {
    case "append" => false
    case "eager"  => true
    case other    => throw invalid(StreamMode, other, "append or eager")
  }

  def streamKeyTimeoutMicros(conf: SQLConf): Option[Long] =
    Option(conf.getConfString(StreamKeyTimeout, null)).map { text =>
      val interval =
        try IntervalUtils.stringToInterval(UTF8String.fromString(text))
        catch { case NonFatal(_) => throw invalid(StreamKeyTimeout, text, "an interval such as 7 days") }
      val micros = IntervalUtils.getDuration(interval, TimeUnit.MICROSECONDS)
      if (micros <= 0) throw invalid(StreamKeyTimeout, text, "a positive interval such as 7 days")
      micros
    }

  private def invalid(setting: String, value: String, allowed: String) =
    new IllegalArgumentException(s"$setting is $value: it must be $allowed")
}
