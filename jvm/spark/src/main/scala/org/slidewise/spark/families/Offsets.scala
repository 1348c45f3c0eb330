package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count, Last}

import org.slidewise.spark.expressions.NthOfFrame
import org.slidewise.spark.plan._

/** `lag` and `lead`: the value of a frame of one row, or one of the rows with a value before or after. */
private[families] object Offsets extends FunctionFamily {
  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f: Lag  => AtOffset(f, f.input, f.default, f.ignoreNulls)
    case f: Lead => AtOffset(f, f.input, f.default, f.ignoreNulls)
  }

  private val RowsBefore = Frame.Rows(None, Some(-1))
  private val RowsAfter = Frame.Rows(Some(1), None)

  final private case class AtOffset(
      function: FrameLessOffsetWindowFunction,
      input: Expression,
      default: Expression,
      ignoreNulls: Boolean
  ) extends FunctionDescription {
    override def merging: Merging = Merging.Impossible
    override def isConstantInSpark(frame: Frame): Boolean = true

    override def whyNotOverStreams(frame: Frame): Option[String] =
      if (ignoreNulls && distance > 0)
        Some(
          s"$name with IGNORE NULLS looks ahead any number of rows: use first with IGNORE NULLS over a frame"
        )
      else None

    private def distance: Int = function.offset.eval().asInstanceOf[Int]

    override def inArrays(filter: Option[Expression], frame: => Option[Frame]): Option[ArrayFunction] =
      function.offset.eval() match {
        case rows: Int if ArrayInputs.isSlot(input) && (default == null || default.deterministic) =>
          val value = if (isNull(default)) None else Some(Cast(default, input.dataType))
          Some(ArrayFunction.ValueAtOffset(input, rows, value, ignoreNulls && rows != 0))
        case _ => None
      }

    override def framed(
        filter: Option[Expression],
        frame: Frame
    ): Either[String, FramedFunctions] = function.offset.eval() match {
      case rows: Int if !ignoreNulls || rows == 0                      => Right(atDistance(rows))
      case rows: Int if math.abs(rows.toLong) <= NthOfFrame.MostValues => Right(atDistanceOfValues(rows))
      case rows: Int                                                   =>
        Left(
          s"$name with IGNORE NULLS at a distance of ${math.abs(rows.toLong)} values, more than " +
            s"${NthOfFrame.MostValues}, would hold that many in each buffer"
        )
      case other => Left(s"$name at a distance of $other rows is no distance")
    }

    private def atDistance(rows: Int) = {
      val frame = Frame.Rows(Some(rows), Some(rows))
      FramedFunctions(
        Seq(
          FramedFunction(Last(input, ignoreNulls = false), None, frame),
          FramedFunction(Count(Literal(1)), None, frame)
        ),
        answers => If(GreaterThan(answers(1), Literal(0L)), answers.head, Cast(default, function.dataType))
      )
    }

    private def atDistanceOfValues(rows: Int) = {
      val value =
        if (rows < 0)
          FramedFunction(Places.nth(input, -rows, fromEnd = true, ignoreNulls = true), None, RowsBefore)
        else FramedFunction(Places.nth(input, rows, fromEnd = false, ignoreNulls = true), None, RowsAfter)
      FramedFunctions(
        Seq(value),
        answers =>
          if (isNull(default)) answers.head
          else Coalesce(Seq(answers.head, Cast(default, function.dataType)))
      )
    }

    override def reach(frame: Frame): FrameReach = FrameReach.rows(distance.toLong)
  }

  private def isNull(default: Expression): Boolean = default match {
    case null                 => true
    case Literal(null, _)     => true
    case Cast(child, _, _, _) => isNull(child)
    case _                    => false
  }
}
