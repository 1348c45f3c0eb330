package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._

/** Plans the window functions that the core's array kernels can evaluate. */
object ArrayPlanner {
  import ArrayFrame._

  /** The array function that evaluates the window function; none if the array kernels cannot. */
  def of(window: WindowCall, orderSpec: Seq[SortOrder], timeZone: String): Option[ArrayFunction] =
    window.description.inArrays(window.filter, frameOf(window.frame, orderSpec, timeZone))

  /** Whether the kernels can evaluate the function over its frame, and the settings allow it. */
  private[planning] def takes(window: WindowExpression): Boolean =
    WindowCall.of(Alias(window, "_we")()).exists { call =>
      val conf = SQLConf.get
      !MergePolicy.of(conf).isRecalculated(call.description) && SlidewiseSettings.sort(conf) &&
      of(call, window.windowSpec.orderSpec, conf.sessionLocalTimeZone).isDefined
    }

  private def frameOf(
      frame: SpecifiedWindowFrame,
      orderSpec: Seq[SortOrder],
      timeZone: String
  ): Option[ArrayFrame] = frame match {
    case SpecifiedWindowFrame(RowFrame, lower, upper) =>
      Some(
        Rows(
          FrameShape.rowOffset(lower).getOrElse(Int.MinValue),
          FrameShape.rowOffset(upper).getOrElse(Int.MaxValue)
        )
      )
    case SpecifiedWindowFrame(RangeFrame, UnboundedPreceding, UnboundedFollowing) =>
      Some(ArrayFrame.Partition)
    case SpecifiedWindowFrame(
          RangeFrame,
          lower @ (UnboundedPreceding | CurrentRow),
          upper @ (CurrentRow | UnboundedFollowing)
        ) =>
      Some(Peers(lower == UnboundedPreceding, upper == UnboundedFollowing))
    case SpecifiedWindowFrame(RangeFrame, lower, upper)
        if orderSpec.size == 1 && WindowKeys.fitsInLong(orderSpec.head) =>
      Some(Range(boundOf(lower, orderSpec.head, timeZone), boundOf(upper, orderSpec.head, timeZone)))
    case _ => None
  }

  private def boundOf(bound: Expression, order: SortOrder, timeZone: String): KeyBound = bound match {
    case CurrentRow                              => CurrentKey
    case UnboundedPreceding | UnboundedFollowing => Unbounded
    case offset                                  =>
      FrameOffset
        .constant(order, offset)
        .map(Shifted)
        .getOrElse(Computed(SortPrefix(order.copy(child = FrameOffset.add(order, offset, timeZone)))))
  }
}
