package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, SortOrder, UnsafeRow}

import org.slidewise.spark.execution.sorting.{
  InputColumn,
  RowFinisher,
  RowOrder,
  RowPlaces,
  SortedColumns,
  SortKey
}
import org.slidewise.spark.planning.{
  ArrayAggregate,
  ArrayFrame,
  ArrayFunction,
  ArrayKernel,
  FrameOffset,
  RecalculationGuard
}

/**
 * Answers window expressions over rows in order with the core's array kernels, a partition at a time.
 *
 * @param order
 *   the order within a partition
 */
final private[execution] class ArrayWindow(
    aggregates: Seq[ArrayAggregate],
    order: Seq[SortOrder]
) {
  private val values: Seq[Expression] =
    aggregates.map(_.function).filter(readsColumn).map(_.input).distinctBy(_.canonicalized)

  private val computed: Seq[Expression] = aggregates
    .map(_.frame)
    .collect { case ArrayFrame.Range(lower, upper) => Seq(lower, upper) }
    .flatten
    .collect { case ArrayFrame.Computed(prefix) => prefix }
    .distinctBy(_.canonicalized)

  /** The first order column. */
  lazy val orderKey = new SortKey(order.head)

  /** Whether frames are found by the order's first column. */
  val readsKeys: Boolean = aggregates.exists(_.frame.isInstanceOf[ArrayFrame.Range])

  /** What else is wanted of each row when it comes. */
  val inputs: Seq[InputColumn] = values.map(InputColumn(_)) ++ computed.map(InputColumn(_, orderKey.flip))

  // All but count(*).
  private def readsColumn(function: ArrayFunction): Boolean = (function.kernel, function.input) match {
    case (ArrayKernel.ValueCount, Literal(value, _)) => value == null
    case _                                           => true
  }

  /** Answers for rows in order, in memory that comes with them; none if the general operator has to work them out. */
  def answers(sorted: SortedColumns, done: Done): Option[Answers] =
    if (canAnswer(sorted) && sorted.acquire(bytes(sorted.order))) Some(new Answers(sorted, done)) else None

  /** As [[answers]], and writes them into rows of the given attributes that have room for them. */
  def finisher(
      sorted: SortedColumns,
      places: RowPlaces,
      input: Seq[Attribute],
      done: Done
  ): Option[RowFinisher] = answers(sorted, done).map(new Finisher(_, places, input.size))

  /** Errors, overflows and keys out of range are for the operator that works as Spark does, row by row. */
  private def canAnswer(sorted: SortedColumns): Boolean = !sorted.inputsFailed && aggregates.forall {
    aggregate =>
      val sums = aggregate.function.kernel match {
        case ArrayKernel.LongSum(wraps) => wraps || fits(sorted, columnOf(sorted, aggregate.function.input))
        case _                          => true
      }
      val ends = aggregate.frame match {
        case ArrayFrame.Range(lower, upper) => Seq(lower, upper).forall(inRange(sorted, _))
        case _                              => true
      }
      sums && ends
  }

  private def inRange(sorted: SortedColumns, end: ArrayFrame.End): Boolean = end match {
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

  /** Whether the magnitudes of all rows add up to less than half of what a long holds, so that no sum overflows. */
  private def fits(sorted: SortedColumns, column: Int): Boolean = {
    val values = sorted.columns(column)
    var total = 0.0
    var row = 0
    while (row < sorted.order.size) {
      total += math.abs(values(row).toDouble)
      row += 1
    }
    total < RecalculationGuard.LongLimit
  }

  private def columnOf(sorted: SortedColumns, value: Expression): Int =
    sorted.firstInput + (values ++ computed).indexWhere(_.canonicalized == value.canonicalized)

  private def bytes(order: RowOrder): Long = {
    var largest = 0
    var from = 0
    while (from < order.size) {
      val until = order.endOfPartition(from)
      largest = math.max(largest, until - from)
      from = until
    }
    largest.toLong * ArrayWindow.bytesARow(
      values.size,
      aggregates.map(_.frame).distinct.size,
      aggregates.size
    )
  }

  /** The answers for one partition after the other, or for a part of one. */
  final class Answers(sorted: SortedColumns, done: Done) {
    private[this] val gathered =
      values.map(v => v.canonicalized -> new Gathered(sorted, columnOf(sorted, v))).toMap
    private[this] val inputs = gathered.values.toArray
    private[this] val frames = aggregates.map(_.frame).distinct.map(frame => frame -> framesOf(frame)).toMap
    private[this] val allFrames = frames.values.toArray
    private[this] val answers = aggregates.map { a =>
      ArrayAnswers(
        a.function,
        frames(a.frame),
        if (readsColumn(a.function)) gathered(a.function.input.canonicalized) else null
      )
    }.toArray

    private[this] var first, last = 0

    def from: Int = first
    def until: Int = last

    /** Turns to the rows from the place `newFrom` to the end of their partition. */
    def begin(newFrom: Int): Unit = {
      first = newFrom
      last = sorted.order.endOfPartition(newFrom)
      allFrames.foreach(_.begin(first, last))
    }

    /** How many of these rows are answered for good, were more rows of their partition to follow. */
    def settled: Int = allFrames.iterator.map(_.settled).min

    /** The oldest of these rows that is needed to answer those from the `row`th on. */
    def oldest(row: Int): Int = allFrames.iterator.map(_.oldest(row)).min

    /**
     * Works the answers out.
     *
     * @param wanted
     *   how many of them are wanted
     */
    def compute(wanted: Int): Unit = {
      val begin = System.nanoTime()
      val size = last - first
      inputs.foreach(_.gatherValid(first, size))
      var widest = 0
      var i = 0
      while (i < allFrames.length) {
        widest = math.max(widest, allFrames(i).widest)
        i += 1
      }
      i = 0
      while (i < answers.length) {
        answers(i).answer(first, size)
        i += 1
      }
      done(wanted, size, answers.length, widest, System.nanoTime() - begin)
    }

    /**
     * Writers of the answers.
     *
     * @param firstField
     *   the first answer's place among the fields of a row
     */
    def writers(firstField: Int): Array[ResultWriter] = {
      val bitSetBytes = UnsafeRow.calculateBitSetWidthInBytes(firstField + answers.length)
      answers.zipWithIndex.map { case (answer, i) =>
        new ResultWriter(answer, aggregates(i).result, firstField + i, bitSetBytes)
      }
    }

    private def framesOf(frame: ArrayFrame): PartitionFrames = frame match {
      case ArrayFrame.Rows(lower, upper)  => new RowsFrames(lower, upper)
      case ArrayFrame.Range(lower, upper) => new RangeOfKeys(sorted, orderKey, endKeys(lower), endKeys(upper))
    }

    private def endKeys(end: ArrayFrame.End): EndKeys = end match {
      case ArrayFrame.CurrentKey       => new CurrentKeys(sorted.order)
      case ArrayFrame.Shifted(by)      => new ShiftedKeys(sorted.order, orderKey.flip, by)
      case ArrayFrame.Computed(prefix) =>
        new ComputedKeys(sorted.order, sorted.columns(columnOf(sorted, prefix)))
      case ArrayFrame.Unbounded => null
    }
  }
}

/** Writes the answers into sorted rows that have room for them. */
final private class Finisher(answers: ArrayWindow#Answers, places: RowPlaces, firstField: Int)
    extends RowFinisher {
  private[this] val writers = answers.writers(firstField)

  override def finish(from: Int): Int = {
    if (from == answers.until) {
      answers.begin(from)
      answers.compute(answers.until - from)
    }
    val until = math.min(from + RowPlaces.Together, answers.until)
    places.locate(from, until)
    var w = 0
    while (w < writers.length) {
      writers(w).write(from - answers.from, until - from, places.bases, places.offsets)
      w += 1
    }
    until
  }
}

/** Told of each partition, or part, that has been answered. */
private[execution] trait Done {

  /**
   * @param wanted
   *   how many answers were wanted
   * @param rows
   *   how many rows were gone through for them
   * @param expressions
   *   how many expressions were answered
   * @param widest
   *   the widest frame, in rows
   */
  def apply(wanted: Int, rows: Int, expressions: Int, widest: Int, nanos: Long): Unit
}

private[execution] object ArrayWindow {
  // Longs or doubles and a bit for inputs and answers, two ends for frames, and what the largest kernel holds.
  private def bytesARow(inputs: Int, frames: Int, answers: Int): Long =
    9L * inputs + 8L * frames + 9L * answers + 32L
}
