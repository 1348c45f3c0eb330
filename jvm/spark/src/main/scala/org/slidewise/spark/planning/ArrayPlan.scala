package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.execution.sorting.SortKey

/** A frame that can be found in arrays of sorted order keys. */
sealed trait ArrayFrame

object ArrayFrame {

  /** From `lower` to `upper` rows after the current one, both included; an end past all `Int`s is unbounded. */
  final case class Rows(lower: Int, upper: Int) extends ArrayFrame

  /** Rows whose key is between two ends, both included. */
  final case class Range(lower: End, upper: End) extends ArrayFrame

  /** One end of a RANGE frame. */
  sealed trait End
  case object CurrentKey extends End
  case object Unbounded extends End

  /** The key's value and a whole number. */
  final case class Shifted(by: Long) extends End

  /** A column that is worked out for each row, comparable with keys once flipped. */
  final case class Computed(prefix: Expression) extends End
}

/** One window expression that the array kernels answer. */
final case class ArrayAggregate(function: ArrayFunction, frame: ArrayFrame, result: DataType)

object ArrayPlan {
  import ArrayFrame._

  /** How the array kernels answer the window expression; none if they cannot. */
  def of(expression: NamedExpression, orderSpec: Seq[SortOrder], timeZone: String): Option[ArrayAggregate] =
    WindowDecision.of(expression, mergeApproximate = true) match {
      case WindowDecision.Run(frame, _, function, filter) =>
        for {
          array <- ArrayFunction.of(function, filter)
          found <- frameOf(frame, orderSpec, timeZone)
        } yield ArrayAggregate(array, found, expression.dataType)
      case _ => None
    }

  private def frameOf(
      frame: SpecifiedWindowFrame,
      orderSpec: Seq[SortOrder],
      timeZone: String
  ): Option[ArrayFrame] = frame match {
    case SpecifiedWindowFrame(RowFrame, lower, upper) =>
      for (l <- rows(lower); u <- rows(upper)) yield Rows(l, u)
    case SpecifiedWindowFrame(RangeFrame, lower, upper)
        if orderSpec.size == 1 && SortKey.fits(orderSpec.head) =>
      Some(Range(end(lower, orderSpec.head, timeZone), end(upper, orderSpec.head, timeZone)))
    case _ => None
  }

  private def rows(bound: Expression): Option[Int] = bound match {
    case CurrentRow             => Some(0)
    case UnboundedFollowing     => Some(Int.MaxValue)
    case IntegerLiteral(offset) => Some(offset)
    case _                      => None
  }

  private def end(bound: Expression, order: SortOrder, timeZone: String): End = bound match {
    case CurrentRow         => CurrentKey
    case UnboundedFollowing => Unbounded
    case offset             =>
      FrameOffset
        .constant(order, offset)
        .map(Shifted)
        .getOrElse(Computed(SortPrefix(order.copy(child = FrameOffset.add(order, offset, timeZone)))))
  }
}
