package org.slidewise.spark.planning.streams

import scala.util.Try

import org.apache.hadoop.fs.Path

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.OutputMode

/** The rules, checks and strategies that run windows over streams. */
object StreamRules {

  /** Whether Slidewise evaluates hopping windows of streams. */
  val evaluatesHopping: Boolean = true

  def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(_ => StreamStartRule)
    extensions.injectPostHocResolutionRule(_ => StreamWindowRule)
    extensions.injectPlannerStrategy(_ => StreamWindowStrategy)
    extensions.injectCheckRule(session => new StreamCheck(session))
    extensions.injectOptimizerRule(_ => PushFilterThroughStream)
    extensions.injectPostHocResolutionRule(_ => WindowIdentityRule)
    extensions.injectPostHocResolutionRule(session => new HoppingCheckpointRule(session))
    extensions.injectPreCBORule(_ => HoppingStreamRule)
    extensions.injectPlannerStrategy(_ => HoppingStreamStrategy)
    extensions.injectColumnar(_ => UnsharedWatermarks)
  }

  /** The physical plan of a streaming query without data; none if it cannot be planned. */
  def planned(session: SparkSession, query: LogicalPlan): Option[SparkPlan] =
    Try(QueryWithoutData.planned(session, query, OutputMode.Append(), new Path("none")).sparkPlan).toOption
}
