package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan, Project, Window}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StringType, StructType, TimestampNTZType, TimestampType}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._
import org.slidewise.spark.shims.SparkCollations

/** Checks that a window can run over a stream. */
private[streams] object StreamWindowCheck {

  /**
   * The window's plan. Throws [[StreamRefused]] if the window cannot run with the settings.
   *
   * @param window
   *   a window over a stream, before or after it has been marked
   */
  def apply(window: Window, conf: SQLConf): SlidingWindowPlan = {
    val eager = SlidewiseSettings.streamEager(conf)
    def refuse(reason: String): Nothing =
      throw new StreamRefused(StreamRefused.textOf(window.windowExpressions, window.child), reason)
    val computed = WindowSql.definitions(window.expressions.flatMap(_.references), window.child)
    def said(e: Expression) = WindowSql.readable(e, computed)

    window.orderSpec match {
      case Seq(SortOrder(time: Attribute, Ascending, _, _)) =>
        windowIn(time, window.child)
          .filter(_ => !eager || time.dataType.isInstanceOf[StructType])
          .map(column =>
            s"ORDER BY ${said(time)} is a window or a part of it, and has no watermark: order by " +
              s"window_time(${column.name}), the event time of the window"
          )
          .orElse(eventTimeProblem(time, s"ORDER BY ${said(time)}", computed.contains(time.exprId), eager))
          .foreach(refuse)
      case Seq(SortOrder(other, Descending, _, _)) =>
        refuse(
          s"ORDER BY ${said(other)} DESC would begin with the last row of a stream that has none: order ascending"
        )
      case Seq() => refuse("there is no ORDER BY: order by the column of the watermark")
      case order =>
        refuse(
          s"ORDER BY ${order.map(said).mkString(", ")} is not the event-time column alone: " +
            "order by the column of the watermark"
        )
    }
    window.partitionSpec.find(e => !SparkCollations.isBinaryStable(e.dataType)).foreach { key =>
      refuse(
        s"PARTITION BY ${said(key)} has the type ${key.dataType.sql}, in which different values count as equal: " +
          s"partition by strings with COLLATE UTF8_BINARY, such as ${binaryForm(key, said)}"
      )
    }
    StreamPlanner.of(window.windowExpressions, window.partitionSpec, window.orderSpec, conf) match {
      case Left(reason)                                                           => refuse(reason)
      case Right(plan) if eager && plan.rowWise.frames.exists(_.frame.looksAhead) =>
        refuse(
          s"${SlidewiseSettings.StreamMode} is eager, and a frame ends after the current row: " +
            "end it at CURRENT ROW, or use the mode append"
        )
      case Right(plan) => plan
    }
  }

  private def binaryForm(key: Expression, said: Expression => String) =
    s"lower(${if (key.dataType.isInstanceOf[StringType]) said(key) else "s"}) COLLATE UTF8_BINARY"

  /** The column of a `window()` or a `session_window()`, if `time` is this column or a field of it. */
  private def windowIn(time: Attribute, input: LogicalPlan): Option[Attribute] = {
    lazy val defined = input
      .collect { case Project(columns, _) => columns }
      .flatten
      .collect { case alias: Alias =>
        alias.exprId -> alias.child
      }
      .toMap
    def follow(expression: Expression): Option[Attribute] = expression match {
      case column: Attribute if isWindow(column) => Some(column)
      case column: Attribute     => defined.get(column.exprId).filter(_ != column).flatMap(follow)
      case field: GetStructField => field.references.find(isWindow)
      case _                     => None
    }
    if (time.dataType == TimestampType && time.metadata.contains(EventTimeWatermark.delayKey)) None
    else follow(time)
  }

  private def isWindow(column: Attribute) =
    column.dataType.isInstanceOf[StructType] &&
      Seq(TimeWindow.marker, SessionWindow.marker).exists(column.metadata.contains)

  private def eventTimeProblem(
      time: Attribute,
      orderBy: String,
      isComputed: Boolean,
      eager: Boolean
  ): Option[String] = {
    val orEager = s"or set ${SlidewiseSettings.StreamMode} to eager"
    if (time.dataType != TimestampType && time.dataType != TimestampNTZType)
      Some(s"$orderBy has the type ${time.dataType.sql}: order by a TIMESTAMP column with a watermark")
    else if (eager || time.metadata.contains(EventTimeWatermark.delayKey)) None
    else if (isComputed)
      Some(s"$orderBy is not the event-time column: order by the column of the watermark itself, $orEager")
    else if (time.dataType == TimestampNTZType)
      Some(
        s"$orderBy has the type ${time.dataType.sql}, for which Spark has no watermarks: " +
          s"cast it to TIMESTAMP and call withWatermark(\"${time.name}\", \"1 minute\") on the stream first, $orEager"
      )
    else
      Some(
        s"$orderBy is a column without a watermark: call withWatermark(\"${time.name}\", \"1 minute\") " +
          s"on the stream first, $orEager"
      )
  }
}
