package org.slidewise.spark.planning.streams

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.StreamRefused

/** Refuses windows over streams, because the state of stateful operators in Spark 3.5 does not suffice for them. */
object StreamRules {

  /** Whether Slidewise evaluates hopping windows of streams. */
  val evaluatesHopping: Boolean = false

  def inject(extensions: SparkSessionExtensions): Unit = extensions.injectCheckRule(_ => StreamCheck)

  /** Returns none, because Slidewise plans no part of a streaming query. */
  def planned(session: SparkSession, query: LogicalPlan): Option[SparkPlan] = None
}

/** The check, which names the Spark versions that have windows over streams. */
private object StreamCheck extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan.foreach {
    case window: Window if window.child.isStreaming && SlidewiseSettings.enabled(SQLConf.get) =>
      throw new StreamRefused(
        StreamRefused.textOf(window.windowExpressions, window.child),
        "Slidewise has windows over streams on Spark 4.0 and later, and this is Spark " +
          org.apache.spark.SPARK_VERSION
      )
    case _ => ()
  }
}
