package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.execution.sorting.SortKey
import org.slidewise.spark.plan._
import org.slidewise.spark.shims.SparkExpressions

/** Plans what the core's array kernels can evaluate. */
object ArrayPlanner {
  import ArrayFrame._
  import ArrayInputs._
  import ArrayKernel._

  /**
   * How the array kernels evaluate the window function; none if they cannot.
   *
   * @param acrossTasks
   *   whether several tasks are to evaluate a partition
   */
  def of(
      window: WindowCall,
      orderSpec: Seq[SortOrder],
      timeZone: String,
      acrossTasks: Boolean = false
  ): Option[ArrayFunction] =
    found(window, orderSpec, timeZone).filter(f => !acrossTasks || AcrossTasks.inArrays(f).isEmpty)

  private def found(
      window: WindowCall,
      orderSpec: Seq[SortOrder],
      timeZone: String
  ): Option[ArrayFunction] = {
    def frame = frameOf(window.frame, orderSpec, timeZone)
    (window.function, window.filter) match {
      case (RowNumber(), _)    => Some(ArrayFunction.Rank(RankKind.RowNumber))
      case (Rank(_), _)        => Some(ArrayFunction.Rank(RankKind.Rank))
      case (DenseRank(_), _)   => Some(ArrayFunction.Rank(RankKind.DenseRank))
      case (PercentRank(_), _) => Some(ArrayFunction.Rank(RankKind.PercentRank))
      case (_: CumeDist, _)    => Some(ArrayFunction.Rank(RankKind.CumeDist))
      case (NTile(buckets), _) => Some(ArrayFunction.Rank(RankKind.Tile(buckets.eval().asInstanceOf[Int])))
      case (f: Lag, _)         => atOffset(f.input, f, f.default, f.ignoreNulls)
      case (f: Lead, _)        => atOffset(f.input, f, f.default, f.ignoreNulls)
      case (f: NthValue, _)    =>
        frame.flatMap(ofFrame(f.input, f.offset.eval(), fromEnd = false, f.ignoreNulls, _))
      case (f: First, None) => frame.flatMap(ofFrame(f.child, 1, fromEnd = false, f.ignoreNulls, _))
      case (f: Last, None)  => frame.flatMap(ofFrame(f.child, 1, fromEnd = true, f.ignoreNulls, _))
      case (f: AggregateFunction, filter) =>
        frame.flatMap(frame => aggregate(f, filter, frame).orElse(MultisetPlanner.of(f, filter, frame)))
      case _ => None
    }
  }

  private def atOffset(
      input: Expression,
      function: OffsetWindowFunction,
      default: Expression,
      ignoreNulls: Boolean
  ): Option[ArrayFunction] = function.offset.eval() match {
    case rows: Int if isSlot(input) && (default == null || default.deterministic) =>
      val value = if (FramedFunctions.isNull(default)) None else Some(Cast(default, input.dataType))
      Some(ArrayFunction.ValueAtOffset(input, rows, value, ignoreNulls && rows != 0))
    case _ => None
  }

  private def ofFrame(
      input: Expression,
      n: Any,
      fromEnd: Boolean,
      ignoreNulls: Boolean,
      frame: ArrayFrame
  ): Option[ArrayFunction] = n match {
    case n: Int if isSlot(input) => Some(ArrayFunction.ValueOfFrame(input, n, fromEnd, ignoreNulls, frame))
    case _                       => None
  }

  private def aggregate(
      function: AggregateFunction,
      filter: Option[Expression],
      frame: ArrayFrame
  ): Option[ArrayFunction] =
    kernelOf(function).collect {
      case (kernel, input, atLeast) if input.deterministic && filter.forall(_.deterministic) =>
        ArrayFunction.Aggregate(kernel, filtered(input, filter), atLeast, frame)
    }

  private def kernelOf(function: AggregateFunction): Option[(ArrayKernel, Expression, Int)] =
    function match {
      case Count(values)                            => Some((CountValues, oneIf(noneNull(values)), 0))
      case Sum(value, _) if isFractional(value)     => Some((SumDoubles, double(value), 1))
      case sum @ Sum(value, _) if isIntegral(value) => Some((SumLongs(checked(sum)), long(value), 1))
      case Average(value, _) if isPrimitive(value)  => Some((MeanDoubles, double(value), 1))
      case Min(value)                               => extreme(value, MinDoubles, MinLongs)
      case Max(value)                               => extreme(value, MaxDoubles, MaxLongs)
      case StddevPop(value, _)                      => Some((Variance(0, root = true), value, 1))
      case VariancePop(value, _)                    => Some((Variance(0, root = false), value, 1))
      case StddevSamp(value, nullForOne)   => Some((Variance(1, root = true), value, sample(nullForOne)))
      case VarianceSamp(value, nullForOne) => Some((Variance(1, root = false), value, sample(nullForOne)))
      case _                               => None
    }

  // One value alone has no sample variance: NaN, or null.
  private def sample(nullForOne: Boolean): Int = if (nullForOne) 2 else 1

  private def checked(sum: Sum): Option[Sum] =
    if (SparkExpressions.evalMode(sum) == EvalMode.LEGACY) None else Some(sum)

  private def extreme(
      value: Expression,
      doubles: ArrayKernel,
      longs: ArrayKernel
  ): Option[(ArrayKernel, Expression, Int)] =
    if (isFractional(value)) Some((doubles, double(value), 1))
    else if (isWhole(value.dataType)) Some((longs, long(value), 1))
    else None

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
        if orderSpec.size == 1 && SortKey.fits(orderSpec.head) =>
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
