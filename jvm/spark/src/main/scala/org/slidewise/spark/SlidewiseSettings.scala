package org.slidewise.spark

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.internal.SQLConf

/** The settings under `spark.slidewise.`; all may be changed in a running session. */
object SlidewiseSettings {

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

  def sort(conf: SQLConf): Boolean = conf.getConfString(Sort, "true").trim.toBoolean
  def enabled(conf: SQLConf): Boolean = conf.getConfString(Enabled, "true").trim.toBoolean
  def mergeApproximate(conf: SQLConf): Boolean = conf.getConfString(MergeApproximate, "true").trim.toBoolean
  def maxStateBytes(conf: SQLConf): Long =
    JavaUtils.byteStringAsBytes(conf.getConfString(MaxStateSize, "16m"))
}
