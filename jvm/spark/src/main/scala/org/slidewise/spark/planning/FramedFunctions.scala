package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.NthOfFrame

/** An aggregate function over a frame. */
final case class FramedFunction(
    function: AggregateFunction,
    filter: Option[Expression],
    frame: SpecifiedWindowFrame
)

/**
 * A window expression in terms of aggregate functions over frames, which can be evaluated row by row.
 *
 * @param result
 *   the window expression, given the results of `functions`
 */
final case class FramedFunctions(functions: Seq[FramedFunction], result: Seq[Attribute] => Expression)

object FramedFunctions {
  private val Growing = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, CurrentRow)
  private val Partition = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, UnboundedFollowing)
  private val RowsBefore = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, Literal(-1))
  private val RowsAfter = SpecifiedWindowFrame(RowFrame, Literal(1), UnboundedFollowing)

  /** The window function in terms of aggregate functions; or why Spark evaluates it. */
  def of(window: WindowCall): Either[String, FramedFunctions] = window.function match {
    case python: PythonFuncExpression =>
      Left(
        s"${python.name} runs in Python, which cannot merge partial aggregates: write it as a slidewise.Aggregator"
      )
    case PercentRank(order)               => Right(percentRank(order))
    case _: CumeDist                      => Right(cumeDist)
    case NTile(buckets)                   => Right(tile(buckets))
    case f: SizeBasedWindowFunction       => Left(s"Slidewise does not know ${f.prettyName}")
    case f: NthValue                      => Right(one(nthValue(f), window))
    case f: AggregateFunction             => Right(one(f, window))
    case f: FrameLessOffsetWindowFunction => otherRow(f)
    case other                            => Left(s"${other.prettyName} is not an aggregate function")
  }

  private def one(function: AggregateFunction, window: WindowCall) =
    FramedFunctions(Seq(FramedFunction(function, window.filter, window.frame)), _.head)

  private def over(frame: SpecifiedWindowFrame, function: AggregateFunction) =
    FramedFunction(function, None, frame)

  private val rowsOfPartition = over(Partition, Count(Literal(1)))

  private def percentRank(order: Seq[Expression]) =
    FramedFunctions(
      Seq(over(Growing, Rank(order)), rowsOfPartition),
      answers => {
        val before = Subtract(answers.head, Literal(1))
        val others = Subtract(answers(1), Literal(1L))
        If(
          GreaterThan(others, Literal(0L)),
          Divide(Cast(before, DoubleType), Cast(others, DoubleType)),
          Literal(0.0)
        )
      }
    )

  private def cumeDist =
    FramedFunctions(
      Seq(over(Growing.copy(frameType = RangeFrame), Count(Literal(1))), rowsOfPartition),
      answers => Divide(Cast(answers.head, DoubleType), Cast(answers(1), DoubleType))
    )

  /** The first buckets have a row more than the others, if the rows cannot be divided evenly. */
  private def tile(buckets: Expression) =
    FramedFunctions(
      Seq(over(Growing, RowNumber()), rowsOfPartition),
      answers => {
        val before = Subtract(Cast(answers.head, LongType), Literal(1L))
        val count = Cast(buckets, LongType)
        val least = IntegralDivide(answers(1), count)
        val larger = Remainder(answers(1), count)
        val inLarger = Multiply(larger, Add(least, Literal(1L)))
        val bucket = If(
          LessThan(before, inLarger),
          IntegralDivide(before, Add(least, Literal(1L))),
          Add(larger, IntegralDivide(Subtract(before, inLarger), least))
        )
        Cast(Add(bucket, Literal(1L)), IntegerType)
      }
    )

  /** `lag` and `lead`: the value of a frame of one row, or one of the rows with a value before or after. */
  private def otherRow(f: FrameLessOffsetWindowFunction): Either[String, FramedFunctions] = {
    val (input, default, ignoresNulls) = f match {
      case Lag(in, _, d, ignore)  => (in, d, ignore)
      case Lead(in, _, d, ignore) => (in, d, ignore)
    }
    f.offset.eval() match {
      case rows: Int if !ignoresNulls || rows == 0 => Right(atDistance(rows, input, default, f.dataType))
      case rows: Int if math.abs(rows.toLong) <= NthOfFrame.MostValues =>
        Right(atDistanceOfValues(rows, input, default, f.dataType))
      case rows: Int =>
        Left(
          s"${f.prettyName} with IGNORE NULLS at a distance of ${math.abs(rows.toLong)} values, more than " +
            s"${NthOfFrame.MostValues}, would hold that many in each buffer"
        )
      case other => Left(s"${f.prettyName} at a distance of $other rows is no distance")
    }
  }

  private def atDistance(rows: Int, input: Expression, default: Expression, dataType: DataType) = {
    val frame = SpecifiedWindowFrame(RowFrame, Literal(rows), Literal(rows))
    FramedFunctions(
      Seq(over(frame, Last(input, ignoreNulls = false)), over(frame, Count(Literal(1)))),
      answers => If(GreaterThan(answers(1), Literal(0L)), answers.head, Cast(default, dataType))
    )
  }

  private def atDistanceOfValues(rows: Int, input: Expression, default: Expression, dataType: DataType) = {
    val value =
      if (rows < 0) over(RowsBefore, nthOf(input, -rows, fromEnd = true, ignoreNulls = true))
      else over(RowsAfter, nthOf(input, rows, fromEnd = false, ignoreNulls = true))
    FramedFunctions(
      Seq(value),
      answers => if (isNull(default)) answers.head else Coalesce(Seq(answers.head, Cast(default, dataType)))
    )
  }

  private def nthValue(f: NthValue): AggregateFunction = f.offset.eval() match {
    case n: Int if n <= NthOfFrame.MostValues => nthOf(f.input, n, fromEnd = false, f.ignoreNulls)
    case _                                    => f
  }

  private def nthOf(input: Expression, n: Int, fromEnd: Boolean, ignoreNulls: Boolean): AggregateFunction =
    if (n > 1) NthOfFrame(input, n, fromEnd, ignoreNulls)
    else if (fromEnd) Last(input, ignoreNulls)
    else First(input, ignoreNulls)

  private[planning] def isNull(default: Expression): Boolean = default match {
    case null                 => true
    case Literal(null, _)     => true
    case Cast(child, _, _, _) => isNull(child)
    case _                    => false
  }
}
