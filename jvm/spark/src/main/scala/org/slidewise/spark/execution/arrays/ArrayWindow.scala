package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, Literal, UnsafeRow}

import org.slidewise.spark.execution.sorting._
import org.slidewise.spark.planning._

/**
 * Answers window expressions over sorted rows with the core's array kernels, a partition at a time, and writes the answers
 * into the rows.
 *
 * @param spec
 *   how the rows are sorted
 * @param input
 *   the attributes of the rows, before their answers
 */
final private[execution] class ArrayWindow(
    aggregates: Seq[ArrayAggregate],
    spec: SortSpec,
    input: Seq[Attribute]
) {
  private val values: Seq[Expression] =
    aggregates.map(_.function).filter(readsColumn).map(_.input).distinctBy(_.canonicalized)

  private val computed: Seq[Expression] = aggregates
    .map(_.frame)
    .collect { case ArrayFrame.Range(lower, upper) => Seq(lower, upper) }
    .flatten
    .collect { case ArrayFrame.Computed(prefix) => prefix }
    .distinctBy(_.canonicalized)

  private lazy val orderKey = new SortKey(spec.order.head)

  /** What is wanted of each row when it comes. */
  val inputs: Seq[InputColumn] = values.map(InputColumn(_)) ++ computed.map(InputColumn(_, orderKey.flip))

  // All but count(*).
  private def readsColumn(function: ArrayFunction): Boolean = (function.kernel, function.input) match {
    case (ArrayKernel.ValueCount, Literal(value, _)) => value == null
    case _                                           => true
  }

  /** Answers for sorted rows, in memory that comes with them; none if the general operator has to do it. */
  def finisher(sorted: SortedColumns, done: Done): Option[RowFinisher] =
    if (canAnswer(sorted) && sorted.acquire(bytes(sorted.order))) Some(new Finisher(sorted, done)) else None

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
      val range = FrameOffset.range(spec.order.head.child.dataType)
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

  final private class Finisher(sorted: SortedColumns, done: Done) extends RowFinisher {
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

    private[this] val bitSetBytes = UnsafeRow.calculateBitSetWidthInBytes(input.size + aggregates.size)
    private[this] val writers = answers.zipWithIndex.map { case (answer, i) =>
      new ResultWriter(answer, aggregates(i).result, input.size + i, bitSetBytes)
    }

    private[this] var partition, end = 0

    override def finish(from: Int): Int = {
      if (from == end) answerPartition(from)
      val until = math.min(from + RowPlaces.Together, end)
      sorted.places.locate(from, until)
      var w = 0
      while (w < writers.length) {
        writers(w).write(from - partition, until - from, sorted.places.bases, sorted.places.offsets)
        w += 1
      }
      until
    }

    private def answerPartition(from: Int): Unit = {
      val begin = System.nanoTime()
      partition = from
      end = sorted.order.endOfPartition(from)
      val size = end - from
      var i = 0
      while (i < inputs.length) {
        inputs(i).gatherValid(from, size)
        i += 1
      }
      var widest = 0
      i = 0
      while (i < allFrames.length) {
        allFrames(i).begin(from, end)
        widest = math.max(widest, allFrames(i).widest)
        i += 1
      }
      i = 0
      while (i < answers.length) {
        answers(i).answer(from, size)
        i += 1
      }
      done(size, answers.length, widest, System.nanoTime() - begin)
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

/** Told of each partition that has been answered: its rows, how many expressions, the widest frame, and the time. */
private[execution] trait Done {
  def apply(rows: Int, expressions: Int, widest: Int, nanos: Long): Unit
}

private[execution] object ArrayWindow {
  // Longs or doubles and a bit for inputs and answers, two ends for frames, and what the largest kernel holds.
  private def bytesARow(inputs: Int, frames: Int, answers: Int): Long =
    9L * inputs + 8L * frames + 9L * answers + 32L
}
