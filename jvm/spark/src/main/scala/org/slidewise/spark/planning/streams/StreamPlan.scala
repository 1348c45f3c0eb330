package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.planning.{Algorithm, PlannedAggregate, RecalculationGuard}

/** The functions that share a frame and an algorithm, and so one sequence of states. */
final case class StreamFramePlan(frame: StreamFrame, aggregates: Seq[PlannedAggregate], algorithm: Algorithm)

/**
 * What an operator over a stream computes: the functions of each frame, whose answers are `answers`, and of these the window
 * expressions.
 */
final case class StreamPlan(
    frames: Seq[StreamFramePlan],
    answers: Seq[AttributeReference],
    results: Seq[NamedExpression]
) {

  /** For how much of event time a row may wait for its frames to be complete, at most; none if that cannot be told. */
  def longestWaitMicros: Option[Long] = {
    val waits = frames.map(_.frame.waitMicros)
    if (waits.forall(_.isDefined)) Some(waits.flatten.maxOption.getOrElse(0L)) else None
  }
}

object StreamPlan {

  /** One window expression in terms of aggregate functions over a frame. */
  final private case class Rewritten(
      frame: StreamFrame,
      functions: Seq[(AggregateFunction, Option[Expression])],
      result: Seq[Attribute] => Expression
  )

  /**
   * @param expressions
   *   window expressions, each with a name
   * @return
   *   why one of them cannot run over a stream, or how all do
   */
  def of(expressions: Seq[NamedExpression], mergeApproximate: Boolean): Either[String, StreamPlan] = {
    val rewritten = expressions.map(rewrite)
    rewritten.collectFirst { case Left(reason) => reason }.toLeft {
      assemble(expressions, rewritten.collect { case Right(found) => found }, mergeApproximate)
    }
  }

  private def assemble(
      expressions: Seq[NamedExpression],
      rewritten: Seq[Rewritten],
      mergeApproximate: Boolean
  ): StreamPlan = {
    val firsts = rewritten.scanLeft(0)(_ + _.functions.size)
    val answers = rewritten.flatMap(_.functions).zipWithIndex.map { case ((function, _), i) =>
      AttributeReference(s"_answer$i", function.dataType, nullable = true)()
    }
    val aggregates = rewritten.zip(firsts).flatMap { case (window, first) =>
      window.functions.zipWithIndex.map { case ((function, filter), i) =>
        val algorithm = Algorithm.of(function, window.frame.specified, mergeApproximate)
        val guard = if (window.frame.lower.isEmpty) None else RecalculationGuard.of(function)
        (window.frame, algorithm) -> PlannedAggregate(function, filter, first + i, guard)
      }
    }
    val frames = aggregates.map(_._1).distinct.map { case key @ (frame, algorithm) =>
      StreamFramePlan(frame, aggregates.collect { case (`key`, aggregate) => aggregate }, algorithm)
    }
    val results = expressions.zip(rewritten).zip(firsts).map { case ((expression, window), first) =>
      Alias(window.result(answers.slice(first, first + window.functions.size)), expression.name)(
        expression.exprId,
        expression.qualifier,
        Some(expression.metadata)
      )
    }
    StreamPlan(frames, answers, results)
  }

  private def rewrite(expression: NamedExpression): Either[String, Rewritten] = expression match {
    case Alias(WindowExpression(function, WindowSpecDefinition(_, _, frame: SpecifiedWindowFrame)), _) =>
      StreamFrame.of(frame).flatMap(rewrite(function, _))
    case other => Left(s"${other.sql} is not a window function over a frame")
  }

  private def rewrite(function: Expression, frame: StreamFrame): Either[String, Rewritten] = function match {
    case AggregateExpression(_, _, true, _, _) => Left("Spark has no DISTINCT aggregates over windows")
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

  private def place(function: AggregateWindowFunction, frame: StreamFrame): Either[String, Rewritten] =
    function match {
      case f: SizeBasedWindowFunction =>
        Left(s"${f.prettyName} needs the number of rows of its whole partition, and a stream has no end")
      case f: NthValue if frame.lower.isEmpty              => Right(Rewritten(frame, Seq(f -> None), _.head))
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
        val frame = StreamFrame(RowFrame, Some(Literal(rows)), Literal(rows))
        val value = Last(input, ignoreNulls = false)
        Rewritten(
          frame,
          Seq(value -> None, Count(Literal(1)) -> None),
          found => If(GreaterThan(found(1), Literal(0L)), found.head, Cast(default, f.dataType))
        )
      }
  }
}
