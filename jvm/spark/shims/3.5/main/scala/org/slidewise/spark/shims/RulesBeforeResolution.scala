package org.slidewise.spark.shims

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules that the analyzer runs before it resolves functions: 3.5 takes none. */
object RulesBeforeResolution {
  def inject(extensions: SparkSessionExtensions)(rule: SparkSession => Rule[LogicalPlan]): Unit = ()
}
