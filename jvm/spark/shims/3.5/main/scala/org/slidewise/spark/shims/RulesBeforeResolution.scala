package org.slidewise.spark.shims

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Adds rules that the analyzer runs before it resolves functions. Spark 3.5 accepts no such rules. */
object RulesBeforeResolution {
  def inject(extensions: SparkSessionExtensions)(rule: SparkSession => Rule[LogicalPlan]): Unit = ()
}
