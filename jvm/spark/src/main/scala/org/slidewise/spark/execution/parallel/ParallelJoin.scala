package org.slidewise.spark.execution.parallel

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.joins.WindowJoinEvaluation
import org.slidewise.spark.execution.surroundings.{SurroundingFunctions, SurroundingRows}
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.expressions.ValueOrElse
import org.slidewise.spark.plan.{Frame, WindowJoinPlan}

/**
 * Evaluates a window join in several tasks, whatever its keys.
 *
 * The rows of both sides are cut at the same places, which are keys and times, into ranges of about the same number of rows. A
 * job finds the [[JoinReach]] of the left rows of each range, unless the order of the left rows determines it. The task of a
 * range reads its left rows, and the right rows that they reach. Where a frame has no limit on one side, another job aggregates
 * the right rows for the tasks that do not read them.
 *
 * @param left
 *   the attributes of a left row
 * @param right
 *   the attributes of a right row
 */
final private[parallel] class ParallelJoin(
    plan: WindowJoinPlan,
    parallel: ParallelPlan,
    left: Seq[Attribute],
    right: Seq[Attribute],
    metrics: Map[String, SQLMetric]
) {
  private[this] val orderOfLeft = ParallelJoin.leftOrder(plan)
  private[this] val orderOfRight = ParallelJoin.rightOrder(plan)
  private[this] val (keys, columns) = (plan.rightKeys.size, orderOfRight.columns)
  private[this] val evaluation = new RangeOfJoin(new WindowJoinEvaluation(plan, left, right), metrics)
  private[this] val frames = plan.byRows.frames.map(_.frame)

  /** The left rows with their results. Writes the runs of both sides, and runs other jobs. None if there are no left rows. */
  def execute(leftRuns: RunsExchangeExec, rightRuns: RunsExchangeExec): Option[RDD[InternalRow]] = {
    val leftRows = RunsReader.inOrder(leftRuns, orderOfLeft, parallel, left)
    val rightRows = RunsReader.inOrder(rightRuns, orderOfRight, parallel, right)
    leftRows.map(rows => rightRows.fold(withoutRight(rows))(join(rows, _)))
  }

  private def withoutRight(leftRows: RunsReader): RDD[InternalRow] = {
    val evaluate = evaluation
    leftRows.read(Array(leftRows.whole)) { (_, parts) =>
      evaluate(parts.all, Iterator.empty, SurroundingRows.None)
    }
  }

  private def join(leftRows: RunsReader, rightRows: RunsReader): RDD[InternalRow] = {
    val tasks = parallel.tasksFor(leftRows.rows + rightRows.rows)
    // Whether several tasks may read the runs, even if a task writes its run again.
    lazy val isRepeatable = ParallelJoinExec.allows(plan, leftRows.determinism, rightRows.determinism)
    lazy val both = new Runs(leftRows.indexes ++ rightRows.indexes, rightRows.cutOrder)
    def inRanges(together: Int): Option[RDD[InternalRow]] =
      if (tasks < 2 || !isRepeatable) None
      else
        Some(both.cuts(tasks, Some(together)))
          .filter(_.nonEmpty)
          .flatMap(evaluateRanges(leftRows, rightRows, _, together))
    inRanges(columns)
      .orElse(if (keys > 0) inRanges(keys) else None)
      .getOrElse(inOneTask(leftRows, rightRows))
  }

  private def inOneTask(leftRows: RunsReader, rightRows: RunsReader): RDD[InternalRow] = {
    val evaluate = evaluation
    def all(reader: RunsReader) =
      reader.read(Array(reader.whole))((_, parts) => parts.all)
    all(leftRows).zipPartitions(all(rightRows))(evaluate(_, _, SurroundingRows.None))
  }

  /** Evaluates the ranges between the cuts. None if a key that the cuts divide must be evaluated in one task. */
  private def evaluateRanges(
      leftRows: RunsReader,
      rightRows: RunsReader,
      cuts: Seq[Cut],
      together: Int
  ): Option[RDD[InternalRow]] = {
    val ends = Cut.Start +: cuts :+ Cut.End
    val own = ends.sliding(2).map(cuts => RangeToRead.of(leftRows.sorted, cuts.toArray)).toArray
    val reached = reaches(leftRows, own).map(_.map(widened(rightRows, _, together)))
    around(rightRows, ends, reached, together).map { surroundings =>
      val reads = reached.zip(ends.zip(ends.tail)).map {
        case (Some(reach), (from, until)) =>
          val own = Array(from, until).map(reach.nearest(_, rightRows.cutOrder))
          RangeToRead.of(rightRows.sorted, reach.from +: own :+ reach.until)
        case (None, _) => RangeToRead(Array.fill(4)(Cut.Start), Array.empty, rowsBefore = 0L)
      }
      val evaluate = evaluation
      val (openLeft, openRight) = (leftRows.opener, rightRows.opener)
      leftRows
        .read(own)(openLeft(_, None, _))
        .zipPartitions(rightRows.readWith(reads.zip(surroundings)) { (range, around, parts) =>
          Iterator.single((openRight(range, None, parts), around))
        }) { (rows, found) =>
          val (others, around) = found.next()
          evaluate.ofRange(rows, others, around)
        }
    }
  }

  /**
   * The reach of the left rows of each range. Runs a job, unless there are no keys and the only bound is a column, by which the
   * left rows are sorted.
   */
  private def reaches(leftRows: RunsReader, ranges: Array[RangeToRead]): Array[Option[JoinReach]] =
    ExpressionSet(frames.flatMap(_.rowBounds).map(_.value)).toSeq match {
      case Seq(_: Attribute) if keys == 0 =>
        ranges.map(range =>
          if (range.parts.isEmpty) None else Some(JoinReach(range.cuts.head, range.cuts.last))
        )
      case _ =>
        val open = leftRows.opener
        val finder = new JoinReach.Finder(plan, orderOfRight, left)
        leftRows
          .collect(ranges)((range, parts) => OwnClasses.bytesOf(finder.of(open(range, None, parts))))
          .map(OwnClasses.valueOf[Option[JoinReach]](_))
    }

  /**
   * Widens a reach by at least one right row with the same keys, on each side where a frame is unbounded. If the cuts divide no
   * keys, widens the reach to all right rows with the same keys.
   */
  private def widened(rightRows: RunsReader, reach: JoinReach, together: Int): JoinReach = {
    val (runs, order) = (rightRows.sorted, rightRows.cutOrder)
    if (together <= keys) JoinReach(Cut.before(reach.from.key, keys), Cut.after(reach.until.key, keys))
    else
      JoinReach(
        if (!frames.exists(_.isGrowing)) reach.from
        else {
          val from = order.last(runs.rowsBefore(reach.from, 1L), Cut.before(reach.from.key, keys))
          if (from.columns < columns) from else Cut.before(from.key, columns)
        },
        if (!frames.exists(_.reachesEnd)) reach.until
        else {
          val until = order.first(runs.rowsAfter(reach.until, 1L), Cut.after(reach.until.key, keys))
          if (until.columns < columns) until else Cut.after(until.key, columns)
        }
      )
  }

  /** The surroundings of the right rows of each range; none if one task must evaluate them. */
  private def around(
      rightRows: RunsReader,
      ends: Seq[Cut],
      reached: Array[Option[JoinReach]],
      together: Int
  ): Option[Array[SurroundingRows]] =
    if (together <= keys || !plan.readsUnbounded) Some(Array.fill(reached.length)(SurroundingRows.None))
    else {
      val functions = new SurroundingFunctions(plan.window, right)
      val ranges = reached.map(_.fold((Cut.Start, Cut.Start))(reach => (reach.from, reach.until)))
      new ScannedRanges(rightRows, plan.window, functions).around(ends, ranges.toSeq)
    }
}

private[parallel] object ParallelJoin {

  /**
   * The order of left rows: by keys and by the first bound, which is null if it fails. The bound is comparable to the time of
   * right rows.
   */
  def leftOrder(plan: WindowJoinPlan): RunOrder = {
    val bounds: Seq[Frame.RowBound] = plan.byRows.frames.flatMap(_.frame.rowBounds)
    RunOrder(plan.leftKeys, Seq(SortOrder(ValueOrElse.orNull(bounds.head.value), Ascending)))
  }

  /** The order of right rows, by keys and time. */
  def rightOrder(plan: WindowJoinPlan): RunOrder = RunOrder(plan.rightKeys, plan.window.sortOrder.take(1))
}

/** Evaluates the left rows of one task. */
final private class RangeOfJoin(join: WindowJoinEvaluation, metrics: Map[String, SQLMetric])
    extends Serializable {

  def apply(
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow],
      around: SurroundingRows
  ): Iterator[InternalRow] = {
    WindowMetrics.timeTask(metrics)
    join.evaluate(leftRows, rightRows, new WindowTask(TaskContext.get(), metrics), around)
  }

  /** Evaluates left rows of a range. The right rows are the rows before the range, in the range and after the range. */
  def ofRange(
      leftRows: Iterator[InternalRow],
      rightRows: RangeRows,
      around: SurroundingRows
  ): Iterator[InternalRow] = {
    val results = apply(leftRows, rightRows, around)
    metrics(WindowMetrics.HaloRows) += rightRows.haloRows
    results
  }
}
