package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import scala.util.{Random, Try}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.frames.FrameFinders
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.expressions.{DistinctAggregate, RowStructure}
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{AggregateCall, EvaluationMethod, Frame, FramePlan, PlannedAggregate}

/** DISTINCT over the frames of one key, from batch to batch, compared with the frames' rows. */
class StreamDistinctEvaluatorSuite extends SparkSuite {
  import StreamDistinctEvaluatorSuite._

  for {
    (what, frame) <- Seq(
      "rows" -> rows(-500, 0),
      "few rows" -> rows(-3, 0),
      "rows before the current one" -> rows(-700, -200),
      "rows around the current one" -> rows(-300, 40),
      "rows after the current one" -> rows(5, 300),
      "times" -> range(-150, 0),
      "times before the current one" -> range(-200, -60),
      "times around the current one" -> range(-90, 20),
      "a time of many rows" -> range(0, 0)
    )
    values <- Seq(7, 400)
    mayStop <- Seq(true, false)
  }
    test(s"frames of $what, with $values values, ${if (mayStop) "begun again" else "in one run"}") {
      val (answers, expected, most, left) = inTask { () =>
        val made = randomRows(3000, values, seed = values)
        val cells = new CellsInMemory
        val random = new Random(7)
        var query = new Query(cells, frame)
        var most = 0
        val answers = batchesOf(made, random).flatMap { case (batch, orderUntil) =>
          if (mayStop && random.nextBoolean()) query = new Query(cells, frame)
          val answered = query.batch(batch, orderUntil).map(answerOf)
          most = math.max(most, cells.cells.keysIterator.count(_._1 == StateCells.FirstFrame))
          answered
        }
        query.drop()
        (answers, expectedOf(made, frame).take(answers.size), most, cells.cells.size)
      }
      assert(answers.size >= 2600, answers.size)
      answers.zip(expected).zipWithIndex.foreach { case ((answer, right), i) =>
        assertEquals(answer, right, s"row $i")
      }
      assertEquals(left, 0)
      // Of three functions, twice; the last block is part of the header.
      val rows = 2 * 3 * math.min(values, 500) + StreamDistinctEvaluator.Slack
      assert(most <= rows / StateLog.RowsABlock + 1, most)
    }

  test("the state is as large for a frame of 100,000 rows as for one of 1,000") {
    val sizes = inTask { () =>
      Seq(rows(-999, 0), rows(-99999, 0), range(-33333, 0)).map { frame =>
        val cells = new CellsInMemory
        val query = new Query(cells, frame)
        val batches = randomRows(100000, values = 10, seed = 1).grouped(10000).toSeq
        batches.map { batch =>
          query.batch(batch, orderUntil = batch.last.time - 1)
          (cells.cells.size, cells.cells.valuesIterator.map(_.getBinary(StateCells.DataField).length).sum)
        }
      }
    }
    for (ofFrame <- sizes) {
      assert(ofFrame.forall(_._1 <= 3), ofFrame)
      assert(ofFrame.forall(_._2 <= 32768), ofFrame)
    }
  }

  test("occurrences are written when they are the last of a batch, and few of them again") {
    val puts = inTask { () =>
      val cells = new CellsInMemory
      val query = new Query(cells, rows(-9999, 0), functions.take(1))
      // All values differ, so that each row must be kept for as long as it is in the frame.
      randomRows(50000, values = 1 << 30, seed = 1)
        .grouped(500)
        .foreach(batch => query.batch(batch, orderUntil = batch.last.time))
      cells.puts
    }
    val blocks = 50000 / StateLog.RowsABlock
    assert(puts <= 100 + 2 * blocks, puts)
  }

  test("rows that no function counts are not kept") {
    val (answers, cells, puts) = inTask { () =>
      val cells = new CellsInMemory
      val none = DistinctAggregate(Count(Seq(number))) -> Some(LessThan(number, Literal(0L)))
      val query = new Query(cells, rows(-9999, 0), Seq(none))
      val answers = randomRows(20000, values = 1 << 30, seed = 2).grouped(2000).flatMap { batch =>
        query.batch(batch, orderUntil = batch.last.time).map(_.getLong(input.size))
      }
      (answers.toList, cells.cells.size, cells.puts)
    }
    assertEquals(answers, List.fill(20000)(0L))
    assertEquals((cells, puts), (1, 10)) // the header, once a batch
  }

  test("rows out of order and rows that have not entered the frame are damage") {
    val refusals = inTask { () =>
      val evaluator = new Query(new CellsInMemory, rows(-9, 0)).evaluator
      Seq((3L, Seq(1L, 1L)), (3L, Seq(1L, 0L)), (3L, Seq(1L, 3L)), (4L, Seq(0L, 1L))).map {
        case (entered, positions) =>
          Try {
            evaluator.reopen(stateOf(bounds = (0L, 3L), entered, positions))
            evaluator.evaluate()
          }.failed.get
      }
    }
    refusals.foreach(refusal => assert(refusal.isInstanceOf[CorruptState], refusal))
  }
}

private object StreamDistinctEvaluatorSuite {
  private val time = AttributeReference("time", LongType, nullable = false)()
  private val number = AttributeReference("n", LongType)()
  private val text = AttributeReference("s", StringType)()
  private val input = Seq(time, number, text)
  private val structure = new RowStructure(input.map(_.dataType))
  private val toUnsafe = UnsafeProjection.create(input.map(_.dataType).toArray[DataType])

  final case class Row(time: Long, number: Option[Long], text: String) {
    def toUnsafeRow: UnsafeRow =
      toUnsafe(InternalRow(time, number.map(Long.box).orNull, UTF8String.fromString(text))).copy()
  }

  /** The results of count(DISTINCT n), sum(DISTINCT n) FILTER (WHERE n >= 3) and collect_list(DISTINCT s), the list as a set. */
  type Answer = (Long, Option[Long], Set[String])

  private val functions: Seq[(AggregateFunction, Option[Expression])] = Seq(
    DistinctAggregate(Count(Seq(number))) -> None,
    DistinctAggregate(Sum(number)) -> Some(GreaterThanOrEqual(number, Literal(3L))),
    DistinctAggregate(CollectList(text)) -> None
  )

  def rows(lower: Int, upper: Int): SpecifiedWindowFrame =
    SpecifiedWindowFrame(RowFrame, Literal(lower), if (upper == 0) CurrentRow else Literal(upper))

  def range(lower: Int, upper: Int): SpecifiedWindowFrame = {
    def bound(offset: Int) = if (offset == 0) CurrentRow else Literal(offset.toLong)
    SpecifiedWindowFrame(RangeFrame, bound(lower), bound(upper))
  }

  /** Rows in order of time, a few at each. */
  def randomRows(count: Int, values: Int, seed: Int): Seq[Row] = {
    val random = new Random(seed)
    Seq.tabulate(count) { i =>
      // Some values are frequent, and some fall silent.
      val value = if (random.nextInt(3) == 0) random.nextInt(values) else i / 100 % values
      Row(i / 3L, if (random.nextInt(9) == 0) None else Some(value.toLong), s"word ${value / 2}")
    }
  }

  /** Batches, each with the time up to which no rows come any more. */
  def batchesOf(rows: Seq[Row], random: Random): Seq[(Seq[Row], Long)] = {
    val cuts = Seq.fill(12)(random.nextInt(rows.size)).sorted
    (0 +: cuts)
      .zip(cuts :+ rows.size)
      .map { case (from, until) => rows.slice(from, until) }
      .filter(_.nonEmpty)
      .map(batch => (batch, batch.last.time - 1)) :+ (Nil -> Long.MaxValue / 2)
  }

  def expectedOf(rows: Seq[Row], frame: SpecifiedWindowFrame): Seq[Answer] = {
    val all = rows.toIndexedSeq
    def offset(bound: Expression) = if (bound == CurrentRow) 0L else bound.eval().toString.toLong
    val (lower, upper) = (offset(frame.lower), offset(frame.upper))
    all.indices.map { i =>
      val (from, until) =
        if (frame.frameType == RowFrame) (i + lower, i + upper + 1)
        else
          (
            all.indexWhere(_.time >= all(i).time + lower).toLong,
            all.lastIndexWhere(_.time <= all(i).time + upper) + 1L
          )
      val inFrame = all.slice(math.max(from, 0L).toInt, math.max(until, 0L).toInt)
      val numbers = inFrame.flatMap(_.number).distinct
      val large = numbers.filter(_ >= 3)
      (
        numbers.size.toLong,
        if (large.isEmpty) None else Some(large.sum),
        inFrame.map(_.text).toSet
      )
    }
  }

  def answerOf(row: InternalRow): Answer = (
    row.getLong(input.size),
    if (row.isNullAt(input.size + 1)) None else Some(row.getLong(input.size + 1)),
    row
      .getArray(input.size + 2)
      .toArray[UTF8String](StringType)
      .map(_.toString)
      .toSeq
      .groupBy(identity)
      .map { case (word, times) =>
        if (times.size == 1) word else s"$word ${times.size} times"
      }
      .toSet
  )

  private object plenty extends BlockMemory {
    def upTo(bytes: Long, log: StateLog): Long = bytes
  }

  /** The part of a header that an evaluator reads, with rows at these positions. */
  def stateOf(bounds: (Long, Long), entered: Long, positions: Seq[Long]): ByteBuffer = {
    val kept = UnsafeProjection.create(Array[DataType](LongType, LongType, StringType))
    val block = new PendingBlock(0)
    positions.foreach(p => block.append(kept(InternalRow(p, 1L, UTF8String.fromString("x")))))
    val out = new StateWriter
    Seq(bounds._1, bounds._2, entered, 0L, positions.size.toLong).foreach(out.long)
    out.bytes(block.toBytes(0))
    ByteBuffer.wrap(out.result())
  }

  /** A query of one key, whose state is in `cells`. */
  final class Query(
      cells: CellsInMemory,
      frame: SpecifiedWindowFrame,
      functions: Seq[(AggregateFunction, Option[Expression])] = functions
  ) {
    private val resources = new TaskResources(TaskContext.get())
    private val cancellation = new CancellationCheck(() => resources.stopIfCancelled())
    private val results = new SpecificInternalRow(functions.map(_._1.dataType))
    private val log = new StateLog(cells, StateCells.Rows, structure, plenty)
    private val waiting = new StateLog(cells, StateCells.Waiting, structure, plenty)
    private val isRange = frame.frameType == RangeFrame
    private val planned = Frame.of(frame, Seq(SortOrder(time, Ascending)), "UTC").toOption.get

    val evaluator = new StreamDistinctEvaluator(
      FramePlan(
        planned,
        EvaluationMethod.SlidingMultiset,
        functions.zipWithIndex.map { case ((function, filter), i) =>
          PlannedAggregate(AggregateCall(Families.of(function), filter), i)
        }
      ),
      new FrameFinders(new FrameElements(input, () => log.reader()))
        .overTime(time, planned, input, findsFirst = false),
      if (isRange) KeptColumns(input, input, 0) else KeptColumns(input, input.tail, -1),
      log.reader(),
      FrameCells(cells, StateCells.FirstFrame),
      resources,
      cancellation,
      results
    )
    private val partition = new PartitionState(cells, None)
    private val key =
      new KeyState(
        cells,
        new PendingRows(cells, structure, 0),
        log,
        waiting,
        Array(evaluator),
        cells,
        partition
      )
    private val run = new KeyRun(
      key,
      UnsafeProjection.create(input, input),
      0,
      direct = false,
      results,
      UnsafeProjection.create((input.map(_.dataType) ++ functions.map(_._1.dataType)).toArray),
      _ => false,
      cancellation
    )

    /** Runs a batch, closes the key, and returns the rows with their results. */
    def batch(rows: Seq[Row], orderUntil: Long): Seq[InternalRow] = {
      key.open()
      run.start(
        new RowSource {
          private val all = rows.iterator.map(_.toUnsafeRow).buffered
          def head: UnsafeRow = all.headOption.orNull
          def advance(): Unit = all.next()
        },
        orderUntil
      )
      val answers = Iterator.continually(run.next()).takeWhile(_ != null).map(_.copy()).toList
      key.close(Long.MaxValue, Long.MaxValue, run.oldestWaiting)
      partition.save()
      answers
    }

    def drop(): Unit = {
      key.open()
      key.drop()
    }

    TaskContext.get().addTaskCompletionListener[Unit](_ => evaluator.close())
  }
}
