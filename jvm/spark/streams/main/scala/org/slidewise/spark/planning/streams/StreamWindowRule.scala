package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._

/**
 * Marks windows over streams, so that Spark's analysis accepts them, and refuses those that cannot run with the settings at the
 * definition. [[StreamStartRule]] repeats the check with those at the start, which the query runs with.
 */
object StreamWindowRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    // Settings are read only for queries with a window over a stream.
    if (!plan.exists(isOverStream) || !SlidewiseSettings.enabled(SQLConf.get)) plan
    else
      plan.resolveOperatorsUp {
        case window: Window if isOverStream(window) =>
          val over = window.copy(child = StreamInput(window.child, computedFor(window)))
          over.setTagValue(WindowPlan.Tag, WindowPlan(Some(StreamWindowCheck(window, SQLConf.get)), Nil))
          StreamOutput(over)
      }

  /** The window's computed columns as SQL. Random expressions are left out: their text has another seed each time. */
  private def computedFor(window: Window): Map[String, String] = {
    val definitions = WindowSql.definitions(window.child).filter(_._2.deterministic)
    val read = window.expressions.flatMap(_.references)
    read.flatMap(column => definitions.get(column.exprId).map(column.name -> _.sql)).toMap
  }

  private def isOverStream(plan: LogicalPlan): Boolean = plan match {
    case window: Window => window.resolved && window.child.isStreaming
    case _              => false
  }
}
