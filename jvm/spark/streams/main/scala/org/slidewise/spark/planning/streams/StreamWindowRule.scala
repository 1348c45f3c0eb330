package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._

/**
 * Marks windows over streams, so that Spark's analysis accepts them. Refuses windows that cannot run with the session's settings
 * when the query is defined. [[StreamStartRule]] repeats the check with the settings at the start, with which the query runs.
 */
object StreamWindowRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    // Settings are read only for queries with a window over a stream.
    if (!plan.exists(isOverStream) || !SlidewiseSettings.enabled(SQLConf.get)) plan
    else
      plan.resolveOperatorsUp {
        case window: Window if isOverStream(window) =>
          val over = window.copy(child = StreamInput(window.child))
          over.setTagValue(WindowPlan.Tag, WindowPlan(Some(StreamWindowCheck(window, SQLConf.get)), Nil))
          StreamOutput(over)
      }

  private def isOverStream(plan: LogicalPlan): Boolean = plan match {
    case window: Window => window.resolved && window.child.isStreaming
    case _              => false
  }
}
