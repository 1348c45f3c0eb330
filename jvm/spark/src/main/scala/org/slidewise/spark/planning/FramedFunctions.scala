package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import org.slidewise.spark.plan._

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

  /** The window function in terms of aggregate functions; or why Spark evaluates it. */
  def of(window: WindowCall): Either[String, FramedFunctions] = window.function match {
    case python: PythonFuncExpression =>
      Left(
        s"${python.name} runs in Python, which cannot merge partial aggregates: write it as a slidewise.Aggregator"
      )
    case PercentRank(order)         => Right(percentRank(order))
    case _: CumeDist                => Right(cumeDist)
    case NTile(buckets)             => Right(tile(buckets))
    case f: SizeBasedWindowFunction => Left(s"Slidewise does not know ${f.prettyName}")
    case NthValue(input, IntegerLiteral(1), ignoreNulls) if !FrameShape.isGrowing(window.frame) =>
      Right(one(First(input, ignoreNulls), window))
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

  /** `lag` and `lead`: the value of a frame of one row, or of the nearest row with a value. */
  private def otherRow(f: FrameLessOffsetWindowFunction): Either[String, FramedFunctions] = {
    val (input, default, ignoresNulls) = f match {
      case Lag(in, _, d, ignore)  => (in, d, ignore)
      case Lead(in, _, d, ignore) => (in, d, ignore)
    }
    f.offset.eval() match {
      case rows: Int if !ignoresNulls || rows == 0 => Right(atDistance(rows, input, default, f.dataType))
      case rows: Int if math.abs(rows) == 1        => Right(nearestValue(rows, input, default, f.dataType))
      case rows: Int                               =>
        Left(
          s"${f.prettyName} with IGNORE NULLS over the distance of ${math.abs(rows)} values cannot be merged"
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

  private def nearestValue(rows: Int, input: Expression, default: Expression, dataType: DataType) = {
    val value =
      if (rows < 0)
        over(SpecifiedWindowFrame(RowFrame, UnboundedPreceding, Literal(-1)), Last(input, ignoreNulls = true))
      else
        over(SpecifiedWindowFrame(RowFrame, Literal(1), UnboundedFollowing), First(input, ignoreNulls = true))
    FramedFunctions(
      Seq(value),
      answers => if (isNull(default)) answers.head else Coalesce(Seq(answers.head, Cast(default, dataType)))
    )
  }

  private[planning] def isNull(default: Expression): Boolean = default match {
    case null                 => true
    case Literal(null, _)     => true
    case Cast(child, _, _, _) => isNull(child)
    case _                    => false
  }
}
