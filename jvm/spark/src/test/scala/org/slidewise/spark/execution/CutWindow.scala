package org.slidewise.spark.execution

import scala.util.Random

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.CatalystTypeConverters
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

import org.slidewise.spark.execution.surroundings._
import org.slidewise.spark.execution.task.{Tasks, WindowMetrics, WindowTask}
import org.slidewise.spark.plan.SlidingWindowPlan
import org.slidewise.spark.planning.WindowPlanner
import org.slidewise.spark.planning.parallel.AcrossTasks

/**
 * The one window of a query, evaluated in one task, and by several tasks that each have the rows that moving frames reach and
 * aggregates of the rows beyond.
 *
 * @param divides
 *   whether cuts may divide rows that tie in the order
 * @param reach
 *   the number of rows, or of units of the first order column if cuts do not divide ties, that moving frames reach at most
 */
final class CutWindow(spark: SparkSession, query: DataFrame, divides: Boolean, reach: Int) {
  private val window = query.queryExecution.optimizedPlan.collect { case w: Window => w } match {
    case Seq(one) => one
    case others   => throw new IllegalArgumentException(s"${others.size} windows: $others")
  }

  val input: Seq[Attribute] = window.child.output

  private def planned(acrossTasks: Boolean): SlidingWindowPlan = {
    val planner = new WindowPlanner(
      spark.sessionState.conf,
      window.partitionSpec,
      window.orderSpec,
      window.orderSpec,
      mayUseArrays = function => !acrossTasks || AcrossTasks.inArrays(function).isEmpty
    )
    val found = planner.plan(window.windowExpressions)
    require(found.bySpark.isEmpty, found.bySpark)
    found.operator.get
  }

  val plan: SlidingWindowPlan = planned(acrossTasks = true)
  private val whole = planned(acrossTasks = false)
  val functions = new SurroundingFunctions(plan, input)

  private def evaluated(
      plan: SlidingWindowPlan,
      pieces: Seq[(Seq[UnsafeRow], SurroundingRows)],
      sorts: Boolean,
      leftBytes: Option[Long] = None
  ): Seq[Seq[UnsafeRow]] = {
    val evaluation = WindowEvaluation.of(plan, input, sorts)
    val metrics = WindowMetrics.create(spark.sparkContext)
    spark.sparkContext
      // A task alone has all memory.
      .parallelize(pieces, if (leftBytes.isDefined) 1 else math.max(1, pieces.size))
      .map {
        case (Seq(), _)           => Nil // the operator evaluates no empty task
        case (rows, surroundings) =>
          val hog = leftBytes.map { left =>
            val hog = new Tasks.Hog(MemoryMode.ON_HEAP)
            hog.takeAllBut(left)
            hog
          }
          val task = new WindowTask(TaskContext.get(), metrics)
          var arrived = 0
          val arriving = rows.iterator.map { row => arrived += 1; row: InternalRow }
          def asked() = {
            require(arrived == rows.size || !sorts, s"asked after $arrived of ${rows.size} rows")
            surroundings
          }
          val results = evaluation.evaluate(arriving, task, () => asked())
          val kept = results.map(_.asInstanceOf[UnsafeRow].copy()).toVector
          hog.foreach(_.close())
          kept
      }
      .collect()
      .toSeq
  }

  /** The results of a row by their names, as values of Scala. */
  private def resultsOf(plan: SlidingWindowPlan): UnsafeRow => Map[String, Any] = {
    val results = plan.expressions.map(_.expression.toAttribute)
    row =>
      results.zipWithIndex.map { case (a, i) =>
        val value = row.get(input.size + i, a.dataType)
        a.name -> CatalystTypeConverters.convertToScala(value, a.dataType)
      }.toMap
  }

  private val all: Seq[UnsafeRow] = {
    val child: LogicalPlan = window.child
    spark.sessionState.executePlan(child).toRdd.map(_.copy().asInstanceOf[UnsafeRow]).collect().toSeq
  }

  private lazy val inOrder: Vector[UnsafeRow] =
    evaluated(whole, Seq(all -> SurroundingRows.None), sorts = true).flatten.toVector

  lazy val rows: Vector[UnsafeRow] = {
    val project = UnsafeProjection.create(input.map(a => a: Expression), input)
    inOrder.map(row => project(row).copy())
  }

  lazy val expected: Vector[Map[String, Any]] = inOrder.map(resultsOf(whole))

  private def sameIn(order: Seq[Expression]): (Int, Int) => Boolean = {
    val project = UnsafeProjection.create(order, input)
    val keys = rows.map(row => project(row).copy())
    (i, j) => keys(i) == keys(j)
  }

  private lazy val samePartition = sameIn(window.partitionSpec)
  private lazy val ties = sameIn(window.partitionSpec ++ window.orderSpec.map(_.child))

  /** The first row at or after `at` that a piece may start with. */
  private def edge(at: Int): Int =
    if (divides || at <= 0 || at >= rows.size) math.max(0, math.min(at, rows.size))
    else Iterator.from(at).find(i => i == rows.size || !ties(i - 1, i)).get

  private def edgeBefore(at: Int): Int =
    if (divides || at <= 0 || at >= rows.size) math.max(0, math.min(at, rows.size))
    else Iterator.iterate(at)(_ - 1).find(i => i == 0 || !ties(i - 1, i)).get

  private val key: Int => Option[Long] = {
    val first = BindReferences.bindReference(window.orderSpec.head.child, AttributeSeq(input))
    i => Option(first.eval(rows(i))).collect { case n: Number => n.longValue }
  }

  private def near(i: Int, j: Int): Boolean =
    samePartition(i, j) && (if (divides) math.abs(i - j) <= reach
                            else
                              (key(i), key(j)) match {
                                case (Some(a), Some(b)) => math.abs(a - b) <= reach
                                case (a, b)             => a == b
                              })

  private def haloBefore(from: Int): Int =
    if (from >= rows.size) from else Iterator.iterate(from)(_ - 1).find(i => i == 0 || !near(from, i - 1)).get

  private def haloAfter(until: Int): Int =
    if (until == 0) until
    else Iterator.from(until).find(i => i == rows.size || !near(until - 1, i)).get

  /** The results by several tasks, in the order of `expected`. */
  def cut(random: Random, strategy: CutWindow.Strategy, pieces: Int): Vector[Map[String, Any]] = {
    val n = rows.size
    val cuts = (Seq(0, n) ++ Seq.fill(pieces - 1)(edge(random.nextInt(n + 1)))).sorted
    val own = cuts.zip(cuts.tail).filter { case (a, b) => a < b || random.nextBoolean() }
    val tasks = own.map { case (a, b) =>
      val more = if (random.nextBoolean()) 0 else random.nextInt(4)
      (edgeBefore(haloBefore(a) - more), a, b, if (a == b) b else edge(haloAfter(b) + more))
    }
    val around = surroundingsOf(tasks.map(t => (t._1, t._4)), random)
    val arriving = tasks.map { case (h0, _, _, h1) =>
      val piece = rows.slice(h0, h1)
      if (strategy.sorts && divides) random.shuffle(piece) else piece
    }
    // Results of other rows are evaluated half of the time.
    val wanted = around.zip(tasks).map { case (surroundings, (h0, a, b, _)) =>
      if (random.nextBoolean()) surroundings
      else surroundings.copy(firstResult = (a - h0).toLong, untilResult = (b - h0).toLong)
    }
    val found = evaluated(plan, arriving.zip(wanted), strategy.sorts, strategy.leftBytes)
    val read = resultsOf(plan)
    tasks
      .zip(found)
      .flatMap { case ((h0, a, b, _), results) => results.slice(a - h0, b - h0).map(read) }
      .toVector
  }

  private def partitionStart(i: Int): Int =
    Iterator.iterate(i)(_ - 1).find(j => j == 0 || !samePartition(j - 1, j)).get
  private def partitionEnd(i: Int): Int =
    Iterator.from(i + 1).find(j => j == rows.size || !samePartition(j - 1, j)).get

  private def surroundingsOf(tasks: Seq[(Int, Int)], random: Random): Seq[SurroundingRows] = {
    val some = tasks.filter { case (from, until) => from < until }
    val bounds = some.flatMap { case (from, until) =>
      Seq(partitionStart(from), from, until, partitionEnd(until - 1))
    } ++ Seq.fill(3)(edge(random.nextInt(rows.size + 1)))
    val edges = (bounds :+ 0 :+ rows.size).distinct.sorted
    val segments = edges.zip(edges.tail)
    val scanned = segments.zip(scan(segments.map { case (a, b) => rows.slice(a, b) }, random)).toMap
    def between(from: Int, until: Int): PartialAggregate = {
      val inside = segments.filter { case (a, b) => a >= from && b <= until }
      val parts = (if (functions.unbounded.needOrder) inside else random.shuffle(inside)).map(scanned)
      // Associative: in any grouping.
      def combined(parts: Seq[PartialAggregate]): PartialAggregate = parts match {
        case Seq()    => PartialAggregate.None
        case Seq(one) => one
        case more     =>
          val (left, right) = more.splitAt(1 + random.nextInt(more.size - 1))
          functions.combine(combined(left), combined(right))
      }
      combined(parts)
    }
    tasks.map { case (from, until) =>
      if (from == until) SurroundingRows.None
      else {
        val total = between(partitionStart(from), partitionEnd(from))
        require(!functions.mustBeOneTask(total), total)
        SurroundingRows(
          between(partitionStart(from), from),
          between(until, partitionEnd(until - 1))
        )
      }
    }
  }

  private def scan(segments: Seq[Seq[UnsafeRow]], random: Random): Seq[PartialAggregate] =
    if (functions.unbounded.needOnlyCounts) segments.map(rows => PartialAggregate.ofRows(rows.size.toLong))
    else {
      val sent = functions
      val scanned = if (functions.unbounded.needOrder) segments else segments.map(random.shuffle(_))
      spark.sparkContext
        .parallelize(scanned, math.max(1, math.min(4, scanned.size)))
        .map { rows =>
          val builder = sent.aggregator()
          rows.foreach(builder.add)
          builder.result()
        }
        .collect()
        .toSeq
    }

  /** The results `firstResult until untilResult` of a task that has the rows from `from` on, as if there were no others. */
  def evaluateFrom(from: Int, firstResult: Int, untilResult: Int): Vector[Map[String, Any]] = {
    val surroundings =
      SurroundingRows(
        PartialAggregate.ofRows(from.toLong),
        PartialAggregate.None,
        firstResult.toLong,
        untilResult.toLong
      )
    val found = evaluated(plan, Seq(rows.drop(from) -> surroundings), sorts = true)
    found.head.slice(firstResult, untilResult).map(resultsOf(plan)).toVector
  }

  /** The aggregate of all rows. */
  def total(): PartialAggregate = scan(Seq(rows), new Random(0)).head

  /** The same, of the rows as the child has them. Evaluates no function of the window. */
  def totalAsTheyCome(): PartialAggregate = scan(Seq(all), new Random(0)).head
}

object CutWindow {

  /**
   * How tasks evaluate their rows.
   *
   * @param leftBytes
   *   memory that is left to a task; none for plenty
   */
  final case class Strategy(name: String, sorts: Boolean, leftBytes: Option[Long] = None) {
    override def toString: String = name
  }
}
