package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._
import org.slidewise.spark.planning.{MergePolicy, RowWisePlanner, WindowCall}

/** Plans the evaluation of windows over a stream. */
object StreamPlanner {

  /**
   * @param expressions
   *   window expressions, each with a name
   * @return
   *   the plan of all expressions, or the reason why one of them cannot run over a stream
   */
  def of(
      expressions: Seq[NamedExpression],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      conf: SQLConf
  ): Either[String, SlidingWindowPlan] = {
    val framed = expressions.map(framedOf(_, conf))
    framed.collectFirst { case Left(reason) => reason }.toLeft {
      assemble(framed.collect { case Right(found) => found }, partitionSpec, orderSpec, conf)
    }
  }

  private def assemble(
      framed: Seq[(WindowCall, FramedFunctions)],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      conf: SQLConf
  ): SlidingWindowPlan = {
    // The state of a growing frame is one aggregation buffer, without rows.
    val rowWise =
      new RowWisePlanner(MergePolicy.of(conf), keepsRows = !_.isGrowing, refersToRows = false)
    val chosen = framed.map { case (window, functions) => rowWise.choose(window, functions) }
    SlidingWindowPlan(
      chosen.map(_.planned),
      PlannedSpec(partitionSpec, orderSpec),
      arrays = None,
      rowWise.plan(chosen)(_ => ()), // one group a frame and method: their states are stored together
      SortPlan(SortPlacement.InOperator, orderSpec, radixInSpark = false),
      constantInSpark = false,
      SlidewiseSettings.maxStateBytes(conf)
    )
  }

  private def framedOf(
      expression: NamedExpression,
      conf: SQLConf
  ): Either[String, (WindowCall, FramedFunctions)] =
    for {
      window <- WindowCall.of(expression, conf)
      _ <- Either.cond(!window.frame.reachesEnd, (), NoEnd)
      _ <- window.description.whyNotOverStreams(window.frame).toLeft(())
      framed <- window.framed
    } yield window -> framed

  private val NoEnd =
    "a frame up to UNBOUNDED FOLLOWING is complete only when the stream ends: end it at CURRENT ROW"
}
