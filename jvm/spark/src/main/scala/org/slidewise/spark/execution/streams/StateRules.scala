package org.slidewise.spark.execution.streams

import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.execution.streaming.operators.stateful.StreamingDeduplicateExec

/**
 * What the rules of `IncrementalExecution` give to a stateful operator. They know Spark's own operators by their classes, and
 * there is no other way to ask for a state: so a rule is asked what it makes of a simple operator of Spark's.
 */
private[streams] object StateRules {

  /** `operator` with what `rule` would give it, if it would give a state or watermarks. */
  def informed(
      operator: StreamingSlidingWindowExec,
      rule: PartialFunction[SparkPlan, SparkPlan]
  ): Option[StreamingSlidingWindowExec] =
    if (rule.isDefinedAt(operator)) None // a rule for all operators with a state
    else {
      val probe = StreamingDeduplicateExec(Nil, nothing, operator.stateInfo)
      if (!rule.isDefinedAt(probe)) None
      else
        rule(probe) match {
          case known: StreamingDeduplicateExec if operator.stateInfo.isEmpty && known.stateInfo.isDefined =>
            Some(operator.copy(stateInfo = known.stateInfo))
          case known: StreamingDeduplicateExec if known.eventTimeWatermarkForEviction.isDefined =>
            Some(
              operator.copy(
                eventTimeWatermarkForLateEvents = known.eventTimeWatermarkForLateEvents,
                eventTimeWatermarkForEviction = known.eventTimeWatermarkForEviction
              )
            )
          case _ => None
        }
    }

  private def nothing = LocalTableScanExec(Nil, Nil, None)
}
