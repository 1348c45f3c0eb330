package org.slidewise.spark.shims

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Adds rules that the analyzer runs before it resolves functions. Since Spark 4.0, these run with the rules for hints. */
object RulesBeforeResolution {
  def inject(extensions: SparkSessionExtensions)(rule: SparkSession => Rule[LogicalPlan]): Unit =
    extensions.injectHintResolutionRule(rule)
}
