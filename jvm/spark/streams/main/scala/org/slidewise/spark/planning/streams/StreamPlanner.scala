package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.NthOfFrame
import org.slidewise.spark.plan._
import org.slidewise.spark.planning.{MergePolicy, RowWisePlanner, WindowCall}

/** Decides how windows over a stream are evaluated. */
object StreamPlanner {

  /**
   * @param expressions
   *   window expressions, each with a name
   * @return
   *   why one of them cannot run over a stream, or how all do
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
    // Of frames that only grow, the state is an aggregation buffer and no rows.
    val rowWise =
      new RowWisePlanner(MergePolicy.of(conf), keepsRows = !_.isGrowing, refersToRows = false)
    val chosen = framed.map { case (window, functions) => rowWise.choose(window, functions) }
    SlidingWindowPlan(
      chosen.map(_.planned),
      partitionSpec,
      orderSpec,
      arrays = None,
      rowWise.plan(chosen)(_ => ()), // one group a frame and method: their states are stored together
      SortPlacement.InOperator,
      sortOrder = orderSpec,
      constantInSpark = false,
      radixInSpark = false,
      SlidewiseSettings.maxStateBytes(conf)
    )
  }

  private def framedOf(expression: NamedExpression, conf: SQLConf): Either[String, (WindowCall, FramedFunctions)] =
    for {
      window <- WindowCall.of(expression, conf)
      _ <- Either.cond(!window.frame.reachesEnd, (), NoEnd)
      known <- answerable(window)
      framed <- known.framed
    } yield known -> framed

  private val NoEnd =
    "a frame up to UNBOUNDED FOLLOWING is complete only when the stream ends: end it at CURRENT ROW"

  /** The window function, if a stream without an end can answer it; or why it cannot. */
  private def answerable(window: WindowCall): Either[String, WindowCall] =
    window.function match {
      case python: PythonFuncExpression =>
        Left(
          s"${python.name} runs in Python, and windows over a stream keep no states of Python: use SQL functions, or an " +
            "Aggregator in Scala or Java"
        )
      case f: SizeBasedWindowFunction =>
        Left(
          s"${f.prettyName} needs the number of rows of its whole partition, and a stream has no end: write the stream to a table " +
            "and evaluate the function there, or use rank() and count(*) over the rows so far"
        )
      // nth_value
      case f: AggregateWindowFunction with OffsetWindowFunction
          if !window.frame.isGrowing && distance(f) > NthOfFrame.MostValues =>
        Left(
          s"${f.prettyName} with n = ${distance(f)} cannot be merged over a frame that moves: n may be at most " +
            NthOfFrame.MostValues
        )
      case f: FrameLessOffsetWindowFunction if f.ignoreNulls && distance(f) > 0 =>
        Left(
          s"${f.prettyName} with IGNORE NULLS looks ahead any number of rows: use first with IGNORE NULLS over a frame"
        )
      case _ => Right(window)
    }

  private def distance(f: OffsetWindowFunction): Int = f.offset.eval().asInstanceOf[Int]
}
