package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, First, Last}

import org.slidewise.spark.expressions.NthOfFrame
import org.slidewise.spark.plan._

/** Functions that select a value of the frame by the position of its row: `first_value`, `last_value`, `nth_value`, `any_value`. */
private[families] object Places extends FunctionFamily {
  override def describe: PartialFunction[Expression, FunctionDescription] = {
    case f: First      => Ended(f, f.child, fromEnd = false, f.ignoreNulls)
    case f: Last       => Ended(f, f.child, fromEnd = true, f.ignoreNulls)
    case f: NthOfFrame => Merged(f)
    case f: NthValue   => Nth(f)
  }

  /** The first value of a frame, or the last. */
  final private case class Ended(
      function: AggregateFunction,
      value: Expression,
      fromEnd: Boolean,
      ignoreNulls: Boolean
  ) extends MergedExactly {
    override def sqlOf(renamed: Expression): String =
      super.sqlOf(renamed) + (if (ignoreNulls) " IGNORE NULLS" else "")

    override def inArrays(filter: Option[Expression], frame: => Option[Frame]): Option[ArrayFunction] =
      if (filter.isDefined) None else valueOf(value, 1, fromEnd, ignoreNulls, frame)

    override def reference: Option[RowReference] =
      if (ignoreNulls) None else Some(RowReference(Some(value), 1, fromEnd))
  }

  /** Spark's `nth_value`, whose buffers do not merge. */
  final private case class Nth(function: NthValue) extends FunctionDescription {
    override def merging: Merging = Merging.Impossible

    override def inArrays(filter: Option[Expression], frame: => Option[Frame]): Option[ArrayFunction] =
      function.offset.eval() match {
        case n: Int => valueOf(function.input, n, fromEnd = false, function.ignoreNulls, frame)
        case _      => None
      }

    override def framed(
        filter: Option[Expression],
        frame: Frame
    ): Either[String, FramedFunctions] = {
      val one =
        if (isMerged) nth(function.input, n, fromEnd = false, function.ignoreNulls) else function
      Right(FramedFunctions(Seq(FramedFunction(one, filter, frame)), _.head))
    }

    override def whyNotOverStreams(frame: Frame): Option[String] =
      if (isMerged || frame.isGrowing) None
      else
        Some(
          s"$name with n = $n cannot be merged over a frame that moves: n may be at most ${NthOfFrame.MostValues}"
        )

    private def isMerged: Boolean = n <= NthOfFrame.MostValues
    private def n: Int = function.offset.eval().asInstanceOf[Int]

    override def reference: Option[RowReference] =
      if (function.ignoreNulls) None
      else Some(RowReference(Some(function.input), n, fromEnd = false))
  }

  /** `nth_value` with buffers that merge. */
  final private case class Merged(function: NthOfFrame) extends MergedExactly {
    override def recalculatedRows: Long = 4L * function.n

    override def reference: Option[RowReference] =
      if (function.ignoreNulls) None
      else Some(RowReference(Some(function.child), function.n, function.fromEnd))
  }

  private def valueOf(
      input: Expression,
      n: Int,
      fromEnd: Boolean,
      ignoreNulls: Boolean,
      frame: => Option[Frame]
  ): Option[ArrayFunction] =
    if (ArrayInputs.isSlot(input))
      frame.map(ArrayFunction.ValueOfFrame(input, n, fromEnd, ignoreNulls, _))
    else None

  /** The aggregate that returns value number `n` of a frame, with buffers that merge. */
  def nth(input: Expression, n: Int, fromEnd: Boolean, ignoreNulls: Boolean): AggregateFunction =
    if (n > 1) NthOfFrame(input, n, fromEnd, ignoreNulls)
    else if (fromEnd) Last(input, ignoreNulls)
    else First(input, ignoreNulls)
}
