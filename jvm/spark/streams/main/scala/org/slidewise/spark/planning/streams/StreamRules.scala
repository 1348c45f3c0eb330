package org.slidewise.spark.planning.streams

import org.apache.spark.sql.SparkSessionExtensions

/** The rules, checks and strategies that run windows over streams. */
object StreamRules {
  def inject(extensions: SparkSessionExtensions): Unit = {
    extensions.injectHintResolutionRule(_ => StreamStartRule)
    extensions.injectPostHocResolutionRule(_ => StreamWindowRule)
    extensions.injectPlannerStrategy(_ => StreamWindowStrategy)
    extensions.injectCheckRule(session => new StreamCheck(session))
    extensions.injectOptimizerRule(_ => PushFilterThroughStream)
    extensions.injectPostHocResolutionRule(session => new HoppingCheckpointRule(session))
    extensions.injectPreCBORule(_ => HoppingStreamRule)
    extensions.injectPlannerStrategy(_ => HoppingStreamStrategy)
  }
}
