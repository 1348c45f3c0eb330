package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, SortOrder, SortPrefix}
import org.apache.spark.sql.types.DoubleType

import org.slidewise.core.multisets.ColumnDictionary
import org.slidewise.spark.execution.sorting._
import org.slidewise.spark.execution.surroundings.ArraySurroundings
import org.slidewise.spark.execution.task.WindowMeasures
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.MultisetFunction.Quantile

/**
 * Window functions that the core's array kernels evaluate over rows in order, a partition at a time.
 *
 * @param order
 *   the order within a partition
 */
final private[execution] class ArrayWindow(val functions: Seq[ArrayFunction], order: Seq[SortOrder]) {
  import ArrayWindow._

  private val frames: Seq[Frame] = functions.flatMap(_.readFrame).distinct

  private val values: Seq[Expression] = distinct(functions.flatMap(columnsOf))

  /** The bounds that are computed from a row of another table. */
  def rowBounds: Seq[Frame.RowBound] = frames.flatMap(_.rowBounds).distinct

  private val bounds: Seq[Frame.KeyBound] = frames.flatMap(_.keyBounds).distinct

  private val computed: Seq[Expression] = distinct(bounds.filter(_.shift.isEmpty).map(prefixOf))

  private def distinct(expressions: Seq[Expression]): Seq[Expression] = {
    val seen = new java.util.HashSet[Expression]
    expressions.filter(e => seen.add(e.canonicalized))
  }

  /** For each column that is read, its place among the inputs. */
  private val places: Map[Expression, Int] =
    (values ++ computed).map(_.canonicalized).zipWithIndex.reverse.toMap

  private val readers: Map[Expression, Seq[ArrayFunction]] =
    functions.flatMap(f => columnsOf(f).map(_.canonicalized -> f)).groupBy(_._1).map { case (column, of) =>
      column -> of.map(_._2)
    }

  /** The first order column. */
  lazy val orderKey = new SortKey(order.head)

  /** Whether any frame is bounded by values of the first order column. */
  val readsKeys: Boolean = bounds.nonEmpty

  /** Whether any frame or rank depends on which rows tie in the order. */
  val readsPeers: Boolean =
    frames.exists(frame => isRange(frame) && frame.keyBounds.isEmpty) || functions.exists {
      case ArrayFunction.Rank(kind) => kind.joinsPeers
      case _                        => false
    }

  /** The columns to read of each row when it arrives, besides the sort keys. */
  val inputs: Seq[InputColumn] = values.map(InputColumn(_)) ++ computed.map(InputColumn(_, orderKey.flip))

  /** An evaluator of sorted rows; none if the kernels cannot evaluate them, or there is no memory for the arrays. */
  def evaluator(
      sorted: SortedColumns,
      surroundings: ArraySurroundings,
      measures: WindowMeasures
  ): Option[PartitionEvaluator] = {
    val widest = largest(sorted.order)
    if (canEvaluate(sorted, widest, surroundings) && sorted.acquire(bytes(widest)))
      Some(new PartitionEvaluator(this, sorted.order, new OwnRows(sorted), surroundings, measures))
    else None
  }

  /**
   * An evaluator of sorted rows whose frames hold rows of another table; none if the kernels cannot evaluate them, if frames move
   * back, or if there is no memory for the arrays.
   *
   * @param bounds
   *   returns the number of a bound's column in `rows`
   * @param surroundings
   *   the surroundings of `elements`
   */
  def evaluatorOver(
      elements: SortedColumns,
      rows: SortedColumns,
      bounds: Frame.RowBound => Int,
      surroundings: ArraySurroundings,
      measures: WindowMeasures
  ): Option[PartitionEvaluator] = {
    val ends = rows.order.size.toLong * frames.size * 8L
    val most = largest(elements.order)
    val widest = math.max(most, largest(rows.order))
    if (canEvaluate(elements, most, surroundings) && rows.acquire(bytes(widest) + ends))
      OtherRows
        .of(rows, elements, frames, bounds)
        .map(new PartitionEvaluator(this, rows.order, _, surroundings, measures))
    else None
  }

  /**
   * Whether the kernels can evaluate the rows. Row-wise evaluation, which works as Spark does, handles inputs that fail and
   * bounds out of range. It also handles NaN for `percentile_approx`, because Spark's approximation does not order NaN among
   * numbers, and sums of decimals that may exceed 64 bits.
   *
   * @param widest
   *   the number of rows in the largest partition
   */
  private def canEvaluate(sorted: SortedColumns, widest: Int, surroundings: ArraySurroundings): Boolean =
    !sorted.inputsFailed && surroundings.fit && bounds.forall(inRange(sorted, _)) && functions.zipWithIndex
      .forall {
        case (_: ArrayFunction.OfMultiset, _) if widest > ColumnDictionary.MostRows => false
        case (ArrayFunction.OfMultiset(Quantile(QuantileMethod.Approximate, _, _, _), input, _, _), _) =>
          input.dataType != DoubleType || !sorted.anyNaN(columnOf(sorted, input))
        case (ArrayFunction.Aggregate(kernel: ArrayKernel.OfDecimals, input, _, frame), i) =>
          val others = Seq(surroundings.before(i), surroundings.after(i))
          Decimals.fit(kernel, frame, sorted, columnOf(sorted, input), widest, others)
        case _ => true
      }

  private def inRange(sorted: SortedColumns, bound: Frame.KeyBound): Boolean = bound.shift match {
    case Some(by) =>
      val range = FrameOffset.range(bound.order.child.dataType)
      ShiftedKeys.inRange(sorted.columns, sorted.orderColumn, sorted.order.size, orderKey.flip, by, range)
    case None =>
      val column = columnOf(sorted, prefixOf(bound))
      !sorted.columns.anyNull(column) || (0 until sorted.order.size).forall { row =>
        sorted.columns.isNull(column, row) == sorted.columns.isNull(sorted.orderColumn, row)
      }
  }

  private[arrays] def columnOf(sorted: SortedColumns, value: Expression): Int =
    sorted.firstInput + places(value.canonicalized)

  private[arrays] def columns(sorted: SortedColumns): Map[Expression, PartitionColumn] =
    values.map { value =>
      val column = new PartitionColumn(
        sorted,
        columnOf(sorted, value),
        value.dataType == DoubleType,
        multisetsOf(value).exists(f => f.readsOrder && !f.partsZeros)
      )
      value.canonicalized -> column
    }.toMap

  private def multisetsOf(value: Expression): Seq[MultisetFunction] = readers(value.canonicalized).collect {
    case ArrayFunction.OfMultiset(function, _, _, _) => function
  }

  private def dictionaries(value: Expression): Int =
    multisetsOf(value).map(_.partsZeros).distinct.size

  /** The frames of all functions over rows in order. The keys are the results of [[reach]]. */
  private[arrays] def framesOver(
      sorted: SortedColumns,
      peers: PartitionPeers
  ): Map[Frame, PartitionFrames] =
    functions.map(reach).distinct.map(frame => frame -> framesOf(frame, sorted, peers)).toMap

  private def framesOf(frame: Frame, sorted: SortedColumns, peers: PartitionPeers): PartitionFrames =
    frame match {
      case Frame.Rows(lower, upper) =>
        new RowsFrames(lower.getOrElse(Int.MinValue), upper.getOrElse(Int.MaxValue))
      case range: Frame.Range if range.keyBounds.isEmpty =>
        new PeerFrames(peers, range.isGrowing, range.reachesEnd)
      case Frame.Range(lower, upper) =>
        new KeyRangeFrames(sorted, orderKey, boundKeys(lower, sorted), boundKeys(upper, sorted))
    }

  private def boundKeys(bound: Frame.Bound, sorted: SortedColumns): BoundKeys = bound match {
    case Frame.Unbounded       => null
    case Frame.Peers           => new CurrentKeys(sorted.order)
    case other: Frame.RowBound => throw new IllegalArgumentException(s"$other is no bound of the same table")
    case bound: Frame.KeyBound =>
      bound.shift match {
        case Some(by) => new ShiftedKeys(sorted.order, orderKey.flip, by)
        case None     => new ComputedKeys(sorted.order, sorted.columns(columnOf(sorted, prefixOf(bound))))
      }
  }

  /** The number of rows in the largest partition. */
  private def largest(order: RowOrder): Int = {
    var largest = 0
    var from = 0
    while (from < order.size) {
      val until = order.endOfPartition(from)
      largest = math.max(largest, until - from)
      from = until
    }
    largest
  }

  private def bytes(largest: Int): Long = largest.toLong * bytesARow + functions.size * ScratchBytes

  private val bytesARow: Long = {
    val columns = values.map { value =>
      val kinds = readers(value.canonicalized).map(readsDoubles).distinct
      1L + 8L * kinds.size + dictionaries(value) * PartitionColumn.dictionaryBytesARow
    }.sum
    val peers = if (readsPeers) 1L else 0L
    columns + peers + 8L * frames.size + functions.map(f => 9L + scratchBytesARow(f)).sum
  }
}

private[execution] object ArrayWindow {

  private def isRange(frame: Frame): Boolean = frame.isInstanceOf[Frame.Range]

  /** The bits of a bound before bits are flipped. They compare like the bits of the keys. */
  private def prefixOf(bound: Frame.KeyBound): Expression =
    SortPrefix(bound.order.copy(child = bound.value))

  /** The rows that the result of a row may depend on. */
  private[arrays] def reach(function: ArrayFunction): Frame = function match {
    case ArrayFunction.ValueAtOffset(_, offset, _, false) =>
      Frame.Rows(Some(math.min(offset, 0)), Some(math.max(offset, 0)))
    case other => other.readFrame.getOrElse(Frame.Partition)
  }

  /** The columns that a function reads; count(*) reads none. */
  private[arrays] def columnsOf(function: ArrayFunction): Seq[Expression] = function match {
    case ArrayFunction.Aggregate(ArrayKernel.CountValues, Literal(value, _), _, _) if value != null => Nil
    case ArrayFunction.Aggregate(_, input, _, _)           => Seq(input)
    case ArrayFunction.OfMultiset(_, input, _, _)          => Seq(input)
    case ArrayFunction.Rank(_)                             => Nil
    case ArrayFunction.ValueOfFrame(input, _, _, _, _)     => Seq(input)
    case ArrayFunction.ValueAtOffset(input, _, default, _) => input +: default.toSeq
  }

  private def readsDoubles(function: ArrayFunction): Boolean = function match {
    case ArrayFunction.Aggregate(kernel, _, _, _) => !kernel.isOfLongs
    case _                                        => false
  }

  private def scratchBytesARow(function: ArrayFunction): Long = function match {
    case ArrayFunction.Aggregate(kernel, _, _, frame)        => scratchBytesARow(kernel, frame)
    case multiset: ArrayFunction.OfMultiset                  => MultisetKernels.bytesARow(multiset)
    case ArrayFunction.Rank(_)                               => 0L
    case ArrayFunction.ValueOfFrame(_, _, _, ignoreNulls, _) => if (ignoreNulls) 5L else 0L
    case ArrayFunction.ValueAtOffset(_, _, _, ignoreNulls)   => if (ignoreNulls) 5L else 0L
  }

  /** The memory that a kernel of the core holds for each row of its widest window, in bytes. */
  private def scratchBytesARow(kernel: ArrayKernel, frame: Frame): Long = {
    val inRange = isRange(frame)
    kernel match {
      case ArrayKernel.CountValues                                              => 1L
      case ArrayKernel.SumLongs(_) | ArrayKernel.SumDecimals(_)                 => 0L
      case ArrayKernel.MeanDecimals(_)                                          => 1L
      case ArrayKernel.MinLongs | ArrayKernel.MaxLongs | ArrayKernel.SumDoubles => if (inRange) 8L else 0L
      case ArrayKernel.MeanDoubles                                              => if (inRange) 9L else 1L
      case ArrayKernel.MinDoubles | ArrayKernel.MaxDoubles                      => if (inRange) 16L else 0L
      case ArrayKernel.Variance(_, _)                                           => if (inRange) 24L else 32L
    }
  }

  /** Further memory of each function, in bytes: kernels over `ROWS` frames of some widths need it. */
  private val ScratchBytes = 16L << 10
}
