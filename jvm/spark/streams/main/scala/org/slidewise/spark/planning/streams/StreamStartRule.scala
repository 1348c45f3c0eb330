package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.{StreamInput, StreamRefused}
import org.slidewise.spark.shims.SparkStreaming

/**
 * Refuses queries with windows over streams that Slidewise does not run, when they are started. Runs with the rules for hints,
 * before Spark's own check, whose message says nothing of Slidewise.
 */
object StreamStartRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case write: WriteToStreamStatement => check(write, SQLConf.get)
      case _                             => ()
    }
    plan
  }

  private def check(write: WriteToStreamStatement, conf: SQLConf): Unit = {
    val (planned, plain) = write.inputQuery
      .collect { case window: Window => window }
      .filter(window => StreamInput.isBelow(window) || window.child.isStreaming)
      .partition(StreamInput.isBelow)
    lazy val enabled = SlidewiseSettings.enabled(conf)
    // Without Spark's check, Spark runs a plain window over each batch.
    val refusedBySpark = if (conf.isUnsupportedOperationCheckEnabled) plain else Nil
    if (planned.isEmpty && refusedBySpark.isEmpty) ()
    else if (!enabled)
      (planned ++ refusedBySpark).headOption.foreach {
        refuse(
          _,
          s"Spark itself has no such windows, and Slidewise is switched off in this session by ${SlidewiseSettings.Enabled} = " +
            "false. Set it to true and define the query again"
        )
      }
    else
      refusedBySpark.headOption.foreach {
        refuse(_, s"the query was defined while ${SlidewiseSettings.Enabled} was false. Define it again")
      }
    if (SparkStreaming.isRealTime(write)) planned.headOption.foreach {
      refuse(
        _,
        "the trigger is real-time, in which Spark runs no operators but its own. Use trigger(processingTime=\"0 seconds\"), " +
          s"with ${SlidewiseSettings.StreamMode} = eager if rows must be answered in the batch in which they arrive"
      )
    }
    if (write.outputMode != OutputMode.Append) planned.headOption.foreach {
      refuse(
        _,
        s"the output mode is ${write.outputMode.toString.toLowerCase}. Use append: each row comes out once, when its frames " +
          "are complete"
      )
    }
  }

  private def refuse(window: Window, reason: String) =
    throw new StreamRefused(StreamRefused.textOf(window.windowExpressions, window.child), reason)
}
