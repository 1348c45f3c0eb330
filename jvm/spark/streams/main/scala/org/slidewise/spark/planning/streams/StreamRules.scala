package org.slidewise.spark.planning.streams

import org.apache.spark.sql.SparkSessionExtensions

/** The rules, checks and the strategy that run windows over streams. */
object StreamRules {
  def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(_ => StreamStartRule)
    extensions.injectPostHocResolutionRule(_ => StreamWindowRule)
    extensions.injectPlannerStrategy(_ => StreamWindowStrategy)
    extensions.injectCheckRule(session => new StreamCheck(session))
    extensions.injectOptimizerRule(_ => PushFilterThroughStream)
  }
}
