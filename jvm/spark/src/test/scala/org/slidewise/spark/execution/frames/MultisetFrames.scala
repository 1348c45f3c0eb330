package org.slidewise.spark.execution.frames

import scala.util.Random

import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.execution.rows.{PartitionRows, RowLog}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.Tasks
import org.slidewise.spark.expressions.{DistinctAggregate, SparkProbes}
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan._

/** Rows, frames over them, and what functions of the distinct values of each frame yield. */
private[frames] object MultisetFrames {
  private val text = AttributeReference("s", StringType)()
  private val number = AttributeReference("d", DoubleType)()
  private val counted = AttributeReference("f", BooleanType)()
  private val money = AttributeReference("m", DecimalType(20, 2))()
  private val input = Seq(text, number, counted, money)
  // A quantile is of values that 64 bits hold.
  private val price = Cast(money, DecimalType(18, 2))

  /** The rows are these values; nulls, NaN, and zeros of both signs among them. */
  final case class Row(
      text: Option[String],
      number: Option[Double],
      counted: Option[Boolean],
      money: Long
  ) {
    def toInternal: InternalRow = InternalRow(
      text.map(UTF8String.fromString).orNull,
      number.map(Double.box).orNull,
      counted.map(Boolean.box).orNull,
      Decimal(money, 20, 2)
    )
    def zeroed: Option[Double] = number.map(_ + 0.0)
  }

  // Where there are many values, one is the most frequent: of several, recalculation returns another than a multiset. Spark 3.5
  // tells zeros apart, most of which are positive.
  def randomRows(count: Int, values: Int, seed: Int): Seq[Row] = {
    val random = new Random(seed)
    Seq.fill(count) {
      val value = random.nextInt(values)
      Row(
        Seq(None, Some("frequent"), Some(s"value $value"), Some(s"value $value"))(random.nextInt(4)),
        Seq(Some(0.0), Some(0.0), Some(0.0), Some(-0.0), Some(Double.NaN), None, Some(value.toDouble))(
          random.nextInt(7)
        ),
        Seq(Some(true), Some(false), None)(random.nextInt(3)),
        value.toLong
      )
    }
  }

  def randomFrames(seed: Int): Seq[(Int, Int)] = {
    val random = new Random(seed)
    def steps(most: Int) = Seq.fill(60)(if (random.nextInt(4) == 0) 0 else random.nextInt(most))
    val ends = steps(12).scanLeft(0)((end, step) => math.min(200, end + step))
    val starts = steps(12).scanLeft(0)(_ + _)
    starts.zip(ends).map { case (lo, hi) => (math.min(lo, hi), hi) }
  }

  val functions: Seq[(AggregateFunction, Option[Expression])] = Seq(
    DistinctAggregate(Count(Seq(text))) -> None,
    DistinctAggregate(Count(Seq(text, number))) -> Some(counted),
    new Mode(text) -> None,
    new Mode(number) -> Some(counted),
    DistinctAggregate(Sum(money)) -> None,
    DistinctAggregate(CollectList(number)) -> None,
    new Percentile(number, Literal(0.3)) -> Some(counted),
    Percentile(price, fractions, Length(text), reverse = true) -> None,
    PercentileDisc(price, Literal(0.4), reverse = true) -> None
  )

  private def fractions = Literal.create(Seq(0.9, 0.25), ArrayType(DoubleType, containsNull = false))

  /** What the functions yield for the rows of a frame. */
  private def expected(rows: Seq[Row]): Seq[Any] = {
    val filtered = rows.filter(_.counted.contains(true))
    val often = rows.flatMap(row => row.text.toSeq.flatMap(text => Seq.fill(text.length)(row.money / 100.0)))
    Seq(
      rows.flatMap(_.text).distinct.size.toLong,
      filtered.flatMap(r => r.text.zip(r.zeroed.map(_.toString)).toSeq).distinct.size.toLong,
      mode(rows.flatMap(_.text))(Ordering.String),
      withoutSign(
        mode(filtered.flatMap(r => if (SparkProbes.modeJoinsZeros) r.zeroed else r.number).map(_.toString))(
          (a, b) => java.lang.Double.compare(a.toDouble, b.toDouble)
        )
      ),
      if (rows.isEmpty) null else rows.map(_.money).distinct.sum,
      rows.flatMap(_.zeroed).map(_.toString).distinct.sorted.toList,
      quantile(filtered.flatMap(_.number), 0.3).map(value => withoutSign(value.toString)).orNull,
      if (often.isEmpty) null
      else Seq(0.9, 0.25).map(quantile(often, _, reverse = true).get.toString).sorted.toList,
      if (rows.isEmpty) null
      else
        (rows.map(_.money).sorted.reverse(math.max(0, math.ceil(rows.size * 0.4).toInt - 1)) / 100.0).toString
    )
  }

  /** Spark's interpolation. */
  private def quantile(values: Seq[Double], fraction: Double, reverse: Boolean = false): Option[Double] = {
    val ascending = values.sortWith(java.lang.Double.compare(_, _) < 0)
    val sorted = if (reverse) ascending.reverse else ascending
    val position = (values.size - 1) * fraction
    val rank = position.toInt
    sorted.lift(rank).map { lower =>
      val higher = sorted(math.min(math.ceil(position).toInt, values.size - 1))
      if (java.lang.Double.compare(lower, higher) == 0) lower
      else if (SparkProbes.percentileByDifference) lower + (position - rank) * (higher - lower)
      else (rank + 1 - position) * lower + (position - rank) * higher
    }
  }

  /** Which of two zeros that are equally frequent is the mode does not matter. */
  private def withoutSign(number: Any): Any = if (number == "-0.0") "0.0" else number

  /** Doubles are compared as text here, because NaN is to equal NaN. */
  private def mode(values: Seq[String])(ordering: Ordering[String]): Any =
    if (values.isEmpty) null
    else {
      val counts = values.groupBy(identity).map { case (value, all) => value -> all.size }
      counts.filter(_._2 == counts.values.max).keys.min(ordering)
    }

  def reference(rows: Seq[Row], frames: Seq[(Int, Int)]): Seq[Seq[Any]] =
    frames.map { case (lo, hi) => expected(rows.slice(lo, hi)) }

  final private class Frame extends FrameBounds {
    def turnTo(frame: (Int, Int)): Unit = {
      loAt = frame._1.toLong
      hiAt = frame._2.toLong
    }
  }

  /**
   * An evaluator of [[functions]] with the rows and the frames that it is given.
   *
   * @param sortsFrom
   *   the least bytes of values that it sorts if they do not fit; none if it may not read ahead
   */
  final class Evaluator(sortsFrom: Option[Long]) {
    private val resources = Tasks.resources()
    private val log = RowLog.of(input, resources)
    private val bounds = new Frame
    private val answerRow = new SpecificInternalRow(functions.map(_._1.dataType))
    private val evaluator = new MultisetEvaluator(
      FramePlan(
        Frame.Current,
        EvaluationMethod.SlidingMultiset,
        functions.zipWithIndex.map { case ((function, filter), i) =>
          PlannedAggregate(AggregateCall(Families.of(function), filter), i)
        }
      ),
      bounds,
      new FrameElements(input, () => log.reader()),
      resources,
      1L << 20,
      answerRow,
      FrameMultiset.of(_, input, _),
      sortsFrom = sortsFrom
    )
    private val project = UnsafeProjection.create(input.map(_.dataType).toArray)
    if (sortsFrom.isDefined) evaluator.mayReadAhead(new PartitionRows {
      override def foreachFrom(position: Long)(f: UnsafeRow => Unit): Unit = {
        val reader = log.reader()
        (position until log.end).foreach { at =>
          if (at == interruptedAt) interruption()
          f(reader(at))
        }
        reader.leave()
      }
    })

    private var interruptedAt = -1L
    private var interruption: () => Unit = _

    /** Calls `interrupt` each time before it reads ahead to the row. */
    def beforeRow(position: Long)(interrupt: () => Unit): Unit = {
      interruptedAt = position
      interruption = interrupt
    }

    def add(rows: Seq[Row]): Unit = rows.foreach(row => log.append(project(row.toInternal)))

    def answers(frames: Seq[(Int, Int)]): Seq[Seq[Any]] = frames.map { frame =>
      bounds.turnTo(frame)
      evaluator.evaluate()
      functions.map(_._1.dataType).zipWithIndex.map { case (dataType, i) =>
        if (answerRow.isNullAt(i)) null else readable(answerRow.get(i, dataType))
      }
    }

    /** The oldest row that is needed at a frame that has not been evaluated. */
    def oldestNeededAt(frame: (Int, Int)): Long = {
      bounds.turnTo(frame)
      evaluator.oldestNeeded
    }

    /** The answers for a partition. */
    def answersOf(rows: Seq[Row], frames: Seq[(Int, Int)]): Seq[Seq[Any]] = {
      log.clear()
      evaluator.reset()
      add(rows)
      answers(frames)
    }

    private def readable(value: Any): Any = value match {
      case string: UTF8String => string.toString
      case decimal: Decimal   => decimal.toUnscaledLong
      case double: Double     => withoutSign(double.toString)
      case list: ArrayData    => list.toDoubleArray().map(_.toString).sorted.toList
      case other              => other
    }

    def isExternal: Boolean = evaluator.isExternal
    def recalculated: Long = evaluator.recalculated
    def combines: Long = evaluator.combines
    def peakMemory: Long = evaluator.peakMemory

    /** The memory of the task but for that of the rows. */
    def heapBytes: Long = resources.memory.getMemoryConsumptionForThisTask - log.getUsed

    /** The memory that the task holds then. */
    def close(): Long = {
      evaluator.close()
      log.close()
      resources.memory.getMemoryConsumptionForThisTask
    }
  }

  /** An evaluator of the rows in a task with `left` bytes of memory. */
  def withMemory[T](
      left: Long,
      rows: Seq[Row],
      sortsFrom: Option[Long] = None
  )(body: Evaluator => T): T =
    withEvaluator(sortsFrom) { evaluator =>
      evaluator.add(rows)
      val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
      hog.takeAllBut(left)
      try body(evaluator)
      finally hog.close()
    }

  def withEvaluator[T](sortsFrom: Option[Long] = None)(body: Evaluator => T): T = {
    val evaluator = new Evaluator(sortsFrom)
    try body(evaluator)
    finally evaluator.close()
  }
}
