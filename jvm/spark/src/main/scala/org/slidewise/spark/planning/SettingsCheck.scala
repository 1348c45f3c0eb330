package org.slidewise.spark.planning

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.command.SetCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.config.SlidewiseSettings

/**
 * Checks the settings of a query with window functions. An invalid value fails the query, and an unknown key is logged once. Spark
 * checks a value when it is set. This check finds values from before Slidewise was loaded, such as those of `--conf`.
 */
object SettingsCheck extends (LogicalPlan => Unit) with Logging {

  private val warned = ConcurrentHashMap.newKeySet[String]()

  override def apply(plan: LogicalPlan): Unit = plan.foreach(ofNode)

  def ofNode(plan: LogicalPlan): Unit = plan match {
    case window: Window =>
      val conf = SQLConf.get
      conf.getAllConfs.keys.foreach(warnIfUnknown)
      SlidewiseSettings.validate(conf, window.isStreaming)
    case SetCommand(Some((key, Some(_)))) => warnIfUnknown(key)
    case _                                => ()
  }

  private def warnIfUnknown(key: String): Unit =
    if (key.startsWith(SlidewiseSettings.Prefix) && !SlidewiseSettings.keys(key) && warned.add(key))
      logWarning(
        s"The setting $key is unknown and has no effect. The nearest known setting is ${nearest(key)}"
      )

  private def nearest(key: String): String = {
    val unknown = UTF8String.fromString(key).toLowerCase
    SlidewiseSettings.keys.toSeq.sorted
      .minBy(UTF8String.fromString(_).toLowerCase.levenshteinDistance(unknown))
  }
}

/** The same check for a session that is already running, whose analyzer takes no new rule. */
object SettingsCheckStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    SettingsCheck.ofNode(plan)
    Nil
  }
}
