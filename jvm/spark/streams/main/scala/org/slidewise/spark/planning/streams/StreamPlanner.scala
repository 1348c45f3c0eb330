package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._
import org.slidewise.spark.planning.{FrameGroups, MergePolicy, MethodChoice, WindowAggregate}

/** Decides how windows over a stream are evaluated. */
object StreamPlanner {

  /** One window expression in terms of aggregate functions over a frame. */
  final private case class Rewritten(
      frame: SpecifiedWindowFrame,
      functions: Seq[(AggregateFunction, Option[Expression])],
      result: Seq[Attribute] => Expression
  )

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
    val rewritten = expressions.map(rewrite)
    rewritten.collectFirst { case Left(reason) => reason }.toLeft {
      assemble(expressions, rewritten.collect { case Right(found) => found }, partitionSpec, orderSpec, conf)
    }
  }

  private def assemble(
      expressions: Seq[NamedExpression],
      rewritten: Seq[Rewritten],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      conf: SQLConf
  ): SlidingWindowPlan = {
    val methods = new MethodChoice(MergePolicy.of(conf))
    val firsts = rewritten.scanLeft(0)(_ + _.functions.size)
    val answers = rewritten.flatMap(_.functions).zipWithIndex.map { case ((function, _), i) =>
      AttributeReference(s"_answer$i", function.dataType, nullable = true)()
    }
    val chosen = rewritten.map(window => window.functions.map { case (f, _) => methods.of(f, window.frame) })
    val aggregates = rewritten.zip(chosen).zip(firsts).flatMap { case ((window, chosen), first) =>
      window.functions.zip(chosen).zipWithIndex.map { case (((function, filter), (method, _)), i) =>
        (window.frame, method) -> methods.planned(function, filter, first + i, method, window.frame)
      }
    }
    val results = expressions.zip(rewritten).zip(firsts).map { case ((expression, window), first) =>
      Alias(window.result(answers.slice(first, first + window.functions.size)), expression.name)(
        expression.exprId,
        expression.qualifier,
        Some(expression.metadata)
      )
    }
    SlidingWindowPlan(
      expressions.zip(chosen).map { case (e, chosen) =>
        PlannedExpression(e, chosen.head._1, chosen.head._2)
      },
      partitionSpec,
      orderSpec,
      FrameGroups.of(aggregates)(_ => ()), // one group a frame and method: their states are stored together
      answers,
      results,
      arrays = Nil,
      SortPlacement.InOperator,
      SlidewiseSettings.maxStateBytes(conf),
      conf.sessionLocalTimeZone
    )
  }

  private def rewrite(expression: NamedExpression): Either[String, Rewritten] = expression match {
    case Alias(WindowExpression(function, WindowSpecDefinition(_, _, frame: SpecifiedWindowFrame)), _) =>
      frameOf(frame).flatMap(rewrite(function, _))
    case other => Left(s"${other.sql} is not a window function over a frame")
  }

  /** The frame with constant bounds, or why a stream cannot have it. */
  private def frameOf(frame: SpecifiedWindowFrame): Either[String, SpecifiedWindowFrame] =
    if (frame.upper == UnboundedFollowing)
      Left("a frame up to UNBOUNDED FOLLOWING is complete only when the stream ends: end it at CURRENT ROW")
    else Right(frame.copy(lower = folded(frame.lower), upper = folded(frame.upper)))

  /** Before the optimizer has run, 2 PRECEDING is the negative of a literal. */
  private def folded(bound: Expression): Expression = bound match {
    case boundary: SpecialFrameBoundary => boundary
    case offset if offset.foldable      => Literal.create(offset.eval(), offset.dataType)
    case other                          => other
  }

  private def rewrite(function: Expression, frame: SpecifiedWindowFrame): Either[String, Rewritten] =
    function match {
      case AggregateExpression(_, _, true, _, _)                       => Left(WindowAggregate.NoDistinct)
      case AggregateExpression(f: AggregateWindowFunction, _, _, _, _) => place(f, frame)
      case f: AggregateWindowFunction                                  => place(f, frame)
      case offset: FrameLessOffsetWindowFunction                       => otherRow(offset)
      case AggregateExpression(f: PythonFuncExpression, _, _, _, _)    => python(f)
      case f: PythonFuncExpression                                     => python(f)
      case AggregateExpression(aggregate, _, _, filter, _)             =>
        Right(Rewritten(frame, Seq(aggregate -> filter), _.head))
      case other => Left(s"${other.prettyName} is not an aggregate function")
    }

  private def python(function: PythonFuncExpression) =
    Left(
      s"${function.name} runs in Python, whose states cannot be kept and merged: use SQL functions, or an Aggregator in Scala " +
        "or Java"
    )

  private def place(
      function: AggregateWindowFunction,
      frame: SpecifiedWindowFrame
  ): Either[String, Rewritten] =
    function match {
      case f: SizeBasedWindowFunction =>
        Left(s"${f.prettyName} needs the number of rows of its whole partition, and a stream has no end")
      case f: NthValue if FrameShape.isGrowing(frame)      => Right(Rewritten(frame, Seq(f -> None), _.head))
      case NthValue(input, IntegerLiteral(1), ignoreNulls) =>
        Right(Rewritten(frame, Seq(First(input, ignoreNulls) -> None), _.head))
      case f: OffsetWindowFunction =>
        Left(s"${f.prettyName} over a frame that moves cannot be merged: use first, last or lag")
      case f => Right(Rewritten(frame, Seq(f -> None), _.head))
    }

  /** lag and lead: the last value of a frame of one row, or the default if there is no such row. */
  private def otherRow(f: FrameLessOffsetWindowFunction): Either[String, Rewritten] = {
    val (input, default, ignoresNulls) = f match {
      case Lag(in, _, d, ignore)  => (in, d, ignore)
      case Lead(in, _, d, ignore) => (in, d, ignore)
    }
    val distance = f.offset.eval() match {
      case rows: Int => Right(rows)
      case other     => Left(s"${f.prettyName} at a distance of $other rows is no distance")
    }
    if (ignoresNulls)
      Left(
        s"${f.prettyName} with IGNORE NULLS looks back any number of rows: use last with IGNORE NULLS over a frame"
      )
    else
      distance.map { rows =>
        val frame = SpecifiedWindowFrame(RowFrame, Literal(rows), Literal(rows))
        val value = Last(input, ignoreNulls = false)
        Rewritten(
          frame,
          Seq(value -> None, Count(Literal(1)) -> None),
          found => If(GreaterThan(found(1), Literal(0L)), found.head, Cast(default, f.dataType))
        )
      }
  }
}
