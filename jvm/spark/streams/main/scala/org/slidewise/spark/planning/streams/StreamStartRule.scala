package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.{STREAMING_STATE_STORE_ENCODING_FORMAT => EncodingFormat}
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.{HoppingLeftToSpark, StreamInput, StreamRefused}
import org.slidewise.spark.shims.SparkStreaming

/**
 * Refuses, at their start, queries with windows over streams that Slidewise does not run. Runs with the rules for hints, before
 * Spark's own check, whose message does not mention Slidewise.
 */
object StreamStartRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan match {
      case write: WriteToStreamStatement =>
        check(write, SQLConf.get)
        if (SparkStreaming.isRealTime(write)) withSparksAggregations(write) else write
      case _ => plan
    }

  /** The real-time trigger supports only Spark's own operators. */
  private def withSparksAggregations(write: WriteToStreamStatement): WriteToStreamStatement =
    write.inputQuery match {
      case _: HoppingLeftToSpark => write
      case query                 => write.copy(inputQuery = HoppingLeftToSpark(None, query))
    }

  private def triggerWithoutWindows(write: WriteToStreamStatement): Option[String] =
    if (SparkStreaming.isRealTime(write)) Some("real-time, which supports only Spark's own operators")
    else if (SparkStreaming.isContinuous(write))
      Some("continuous, which supports only projections and filters")
    else None

  private def check(write: WriteToStreamStatement, conf: SQLConf): Unit = {
    val (planned, plain) = write.inputQuery
      .collect { case window: Window => window }
      .filter(window => StreamInput.isBelow(window) || window.child.isStreaming)
      .partition(StreamInput.isBelow)
    // If Spark's check is off, Spark evaluates a plain window over each batch.
    val refusedBySpark = if (conf.isUnsupportedOperationCheckEnabled) plain else Nil
    // Settings are read only for queries with a window over a stream.
    for (window <- (planned ++ refusedBySpark).headOption)
      if (!SlidewiseSettings.enabled(conf))
        refuse(
          window,
          s"Spark does not support it, and Slidewise is switched off in this session by ${SlidewiseSettings.Enabled} = " +
            "false. Set it to true and define the query again"
        )
    for (window <- refusedBySpark.headOption)
      refuse(
        window,
        s"the query was defined while ${SlidewiseSettings.Enabled} was false. Define the query again"
      )
    for (window <- planned.headOption) {
      for (trigger <- triggerWithoutWindows(write))
        refuse(
          window,
          s"the trigger is $trigger. Use trigger(processingTime=\"0 seconds\"), " +
            s"with ${SlidewiseSettings.StreamMode} = eager to emit rows in the batch in which they arrive"
        )
      if (write.outputMode != OutputMode.Append)
        refuse(
          window,
          s"the output mode is ${write.outputMode.toString.toLowerCase}. Use append: each row is emitted once, when its " +
            "frames are complete"
        )
    }
    for (window <- planned.headOption if conf.getConf(EncodingFormat) == "avro")
      refuse(
        window,
        s"${EncodingFormat.key} is avro, in which Spark keeps only the states of transformWithState. Set it to unsaferow"
      )
    // The query runs with the settings of its start, which may differ from those of its definition.
    planned.foreach(StreamWindowCheck(_, conf))
  }

  private def refuse(window: Window, reason: String) =
    throw new StreamRefused(StreamRefused.textOf(window.windowExpressions, window.child), reason)
}
