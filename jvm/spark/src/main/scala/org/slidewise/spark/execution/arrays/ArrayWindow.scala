package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, SortOrder}

import org.slidewise.spark.execution.sorting._
import org.slidewise.spark.execution.task.WindowMeasures
import org.slidewise.spark.plan._

/**
 * Window expressions that the core's array kernels evaluate over rows in order, a partition at a time.
 *
 * @param aggregates
 *   the window expressions
 * @param order
 *   the order within a partition
 */
final private[execution] class ArrayWindow(val aggregates: Seq[KernelAggregate], order: Seq[SortOrder]) {
  private val values: Seq[Expression] =
    distinct(aggregates.map(_.function).filter(readsColumn).map(_.input))

  private val computed: Seq[Expression] = distinct(
    aggregates
      .map(_.frame)
      .collect { case ArrayFrame.Range(lower, upper) => Seq(lower, upper) }
      .flatten
      .collect { case ArrayFrame.Computed(prefix) => prefix }
  )

  private def distinct(expressions: Seq[Expression]): Seq[Expression] =
    expressions.foldLeft(Vector.empty[Expression]) { (kept, e) =>
      if (kept.exists(_.canonicalized == e.canonicalized)) kept else kept :+ e
    }

  /** The first order column. */
  lazy val orderKey = new SortKey(order.head)

  /** Whether frames are found by the order's first column. */
  val readsKeys: Boolean = aggregates.exists(_.frame.isInstanceOf[ArrayFrame.Range])

  /** The columns to be read of each row when it arrives, beside the sort keys. */
  val inputs: Seq[InputColumn] = values.map(InputColumn(_)) ++ computed.map(InputColumn(_, orderKey.flip))

  /** All functions but count(*). */
  private def readsColumn(function: ArrayFunction): Boolean = (function.kernel, function.input) match {
    case (ArrayKernel.CountValues, Literal(value, _)) => value == null
    case _                                            => true
  }

  /** An evaluator of rows in order; none if the kernels cannot evaluate them, or there is no memory for the arrays. */
  def evaluator(sorted: SortedColumns, measures: WindowMeasures): Option[PartitionEvaluator] =
    if (canEvaluate(sorted) && sorted.acquire(bytes(sorted.order)))
      Some(new PartitionEvaluator(this, sorted, measures))
    else None

  /** Inputs that fail and bounds out of range are for the evaluation that works as Spark does, row by row. */
  private def canEvaluate(sorted: SortedColumns): Boolean =
    !sorted.inputsFailed && aggregates.map(_.frame).distinct.forall {
      case ArrayFrame.Range(lower, upper) => Seq(lower, upper).forall(inRange(sorted, _))
      case _                              => true
    }

  private def inRange(sorted: SortedColumns, bound: ArrayFrame.KeyBound): Boolean = bound match {
    case ArrayFrame.Shifted(by) =>
      val range = FrameOffset.range(order.head.child.dataType)
      ShiftedKeys.inRange(sorted.columns, sorted.orderColumn, sorted.order.size, orderKey.flip, by, range)
    case ArrayFrame.Computed(prefix) =>
      val column = columnOf(sorted, prefix)
      !sorted.columns.anyNull(column) || (0 until sorted.order.size).forall { row =>
        sorted.columns.isNull(column, row) == sorted.columns.isNull(sorted.orderColumn, row)
      }
    case _ => true
  }

  private def columnOf(sorted: SortedColumns, value: Expression): Int =
    sorted.firstInput + (values ++ computed).indexWhere(_.canonicalized == value.canonicalized)

  private[arrays] def columns(sorted: SortedColumns): Map[Expression, PartitionColumn] =
    values.map(v => v.canonicalized -> new PartitionColumn(sorted, columnOf(sorted, v))).toMap

  private[arrays] def columnFor(
      function: ArrayFunction,
      columns: Map[Expression, PartitionColumn]
  ): PartitionColumn =
    if (readsColumn(function)) columns(function.input.canonicalized) else null

  private[arrays] def framesOf(frame: ArrayFrame, sorted: SortedColumns): PartitionFrames = frame match {
    case ArrayFrame.Rows(lower, upper)  => new RowsFrames(lower, upper)
    case ArrayFrame.Range(lower, upper) =>
      new KeyRangeFrames(sorted, orderKey, boundKeys(lower, sorted), boundKeys(upper, sorted))
  }

  private def boundKeys(bound: ArrayFrame.KeyBound, sorted: SortedColumns): BoundKeys = bound match {
    case ArrayFrame.CurrentKey       => new CurrentKeys(sorted.order)
    case ArrayFrame.Shifted(by)      => new ShiftedKeys(sorted.order, orderKey.flip, by)
    case ArrayFrame.Computed(prefix) =>
      new ComputedKeys(sorted.order, sorted.columns(columnOf(sorted, prefix)))
    case ArrayFrame.Unbounded => null
  }

  private def bytes(order: RowOrder): Long = {
    var largest = 0
    var from = 0
    while (from < order.size) {
      val until = order.endOfPartition(from)
      largest = math.max(largest, until - from)
      from = until
    }
    largest.toLong * bytesARow + aggregates.size * ArrayWindow.ScratchBytes
  }

  private val bytesARow: Long = {
    val columns = values.map { value =>
      val kinds = aggregates.filter(a => readsColumn(a.function) && a.function.input.semanticEquals(value))
      1L + 8L * kinds.map(a => ArrayWindow.readsDoubles(a.function.kernel)).distinct.size
    }.sum
    val frames = 8L * aggregates.map(_.frame).distinct.size
    columns + frames + aggregates.map(a => 9L + ArrayWindow.scratchBytesARow(a.function.kernel, a.frame)).sum
  }
}

private[execution] object ArrayWindow {

  private def readsDoubles(kernel: ArrayKernel): Boolean = kernel match {
    case ArrayKernel.CountValues | ArrayKernel.SumLongs(_) | ArrayKernel.MinLongs | ArrayKernel.MaxLongs =>
      false
    case _ => true
  }

  /** What a kernel of the core holds for each row of its widest window. */
  private def scratchBytesARow(kernel: ArrayKernel, frame: ArrayFrame): Long = {
    val isRange = frame.isInstanceOf[ArrayFrame.Range]
    kernel match {
      case ArrayKernel.CountValues                                              => 1L
      case ArrayKernel.SumLongs(_)                                              => 0L
      case ArrayKernel.MinLongs | ArrayKernel.MaxLongs | ArrayKernel.SumDoubles => if (isRange) 8L else 0L
      case ArrayKernel.MeanDoubles                                              => if (isRange) 9L else 1L
      case ArrayKernel.MinDoubles | ArrayKernel.MaxDoubles                      => if (isRange) 16L else 0L
      case ArrayKernel.Variance(_, _)                                           => if (isRange) 24L else 32L
    }
  }

  /** What a kernel over ROWS frames of some widths holds beside that. */
  private val ScratchBytes = 16L << 10
}
