package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingFunctions, SurroundingRows}
import org.slidewise.spark.plan.{FrameReach, SlidingWindowPlan}

/**
 * Evaluates a window in several tasks, whatever its partitions.
 *
 * The rows are cut into ranges of about the same size. The task of a range reads it with its [[Halos]], evaluates all of these
 * rows, and hands out the results of its own rows. Some functions depend on all rows before or after a row. For these, the driver
 * scans aggregates: of the runs' buckets if the aggregates are small, otherwise of the rows between the cuts, which another job
 * aggregates.
 *
 * Where the frame of each row is the whole table, in no order, the aggregates of the runs give the results of all rows.
 *
 * @param input
 *   the attributes of a row
 */
final private[parallel] class ParallelWindow[T: ClassTag](
    plan: SlidingWindowPlan,
    parallel: ParallelPlan,
    input: Seq[Attribute],
    evaluation: RangeEvaluation[T]
) {
  private[this] val keyOrder = RunOrder(plan.partitionSpec, plan.sortOrder)
  private[this] val reach = FrameReach.of(plan)
  private[this] val partitionColumns = plan.partitionSpec.size
  private[this] val surrounding = new SurroundingFunctions(plan, input)

  /**
   * The rows with their results, in partitions that follow one another in order. Writes the runs, and may run another job. None
   * if there is only one partition, which is not written.
   */
  def execute(runs: RunsExchangeExec): Option[RDD[T]] =
    if (plan.isWholeTable)
      runs
        .write()
        .map(new RunsReader(runs, _, keyOrder, input))
        .map(reader => evaluateWholeTable(reader).getOrElse(inOneTask(reader)))
    else RunsReader.inOrder(runs, keyOrder, parallel, input).map(inOrder)

  /** Whether several tasks may read the runs, even if a task writes its run again. */
  private def isRepeatable(reader: RunsReader): Boolean = reader.determinism.exists(_.allows(plan))

  /** Evaluates rows whose frame is the whole table. None if one task must evaluate them. */
  private def evaluateWholeTable(reader: RunsReader): Option[RDD[T]] = {
    val ranges = wholeRuns(reader).map(RangeToRead.all(_, reader.buckets)).toArray
    lazy val total =
      if (reader.hasAggregatesOf(plan) && reader.indexes.forall(_.hasAggregates))
        new BucketTotals(reader.indexes, surrounding).all
      else totalOf(reader, ranges)
    if (!isRepeatable(reader) || surrounding.mustBeOneTask(total)) None
    else {
      val (evaluate, totals) = (evaluation, TableTotals.of(total))
      Some(reader.read(ranges)((_, parts) => evaluate.ofPartitions(parts.all, totals)))
    }
  }

  /** The aggregate of some ranges, computed by a separate job. */
  private def totalOf(reader: RunsReader, ranges: Array[RangeToRead]): PartialAggregate = {
    val functions = surrounding
    reader
      .collect(ranges) { (_, parts) =>
        val aggregate = functions.aggregator()
        parts.all.foreach(aggregate.add)
        OwnClasses.bytesOf(aggregate.result())
      }
      .map(OwnClasses.valueOf[PartialAggregate])
      .foldLeft(functions.merger())(_ add _)
      .result()
  }

  /** The runs that each task reads. Tasks have about the same number of rows if the runs do. */
  private def wholeRuns(reader: RunsReader): Seq[Seq[Int]] = {
    val indexes = reader.indexes
    val tasks = math.max(1, parallel.tasksFor(reader.rows))
    val before = indexes.map(_.rows).scanLeft(0L)(_ + _)
    def taskOf(run: Int) =
      ((before(run) + before(run + 1)) / 2.0 * tasks / math.max(1L, reader.rows)).toLong
    val shares = indexes.indices.filter(indexes(_).rows > 0).groupBy(taskOf).toSeq.sortBy(_._1).map(_._2)
    if (shares.isEmpty) Seq(Nil) else shares
  }

  private def inOrder(reader: RunsReader): RDD[T] = {
    val tasks = parallel.tasksFor(reader.rows)
    def inRanges(together: Option[Int]) =
      if (tasks < 2 || !isRepeatable(reader)) None
      else
        Some(reader.sorted.cuts(tasks, together))
          .filter(_.nonEmpty)
          .flatMap(evaluateRanges(reader, _))
    val peers = if (reach.readsPeers) Some(partitionColumns + plan.orderSpec.size) else None
    inRanges(peers)
      .orElse(if (partitionColumns > 0) inRanges(Some(partitionColumns)) else None)
      .getOrElse(inOneTask(reader))
  }

  private def inOneTask(reader: RunsReader): RDD[T] = {
    val whole = evaluation
    reader.read(Array(reader.whole))((_, parts) => whole.ofAll(parts.all))
  }

  /** Evaluates the ranges between the cuts. None if a partition that the cuts divide must be evaluated in one task. */
  private def evaluateRanges(
      reader: RunsReader,
      cuts: Seq[Cut]
  ): Option[RDD[T]] = {
    val order = new CutOrder(keyOrder.directions)
    val halos = new Halos(plan, reach, reader.sorted, order)
    val from = Cut.Start +: cuts.map(halos.before)
    val until = cuts.map(halos.after) :+ Cut.End
    val ends = Cut.Start +: cuts :+ Cut.End
    val cutsOf = from.indices.map(i => Array(from(i), ends(i), ends(i + 1), until(i)))
    val parts = cutsOf.map(reader.sorted.parts)
    val ranges = cutsOf.zip(parts).map { case (cuts, parts) => RangeToRead.of(cuts, parts) }.toArray
    def scanned =
      new ScannedRanges(reader, plan, surrounding)
        .around(ends, from.zip(until))
        .map(_.map(RangeSurroundings.Scanned(_)))
    def atEnds = {
      val (first, last) = new ScannedRanges(reader, plan, surrounding).atEnds
      if (Seq(first, last).exists(surrounding.mustBeOneTask)) None
      else Some(Array.fill(ranges.length)(RangeSurroundings.AtEnds(first, last, reader.rows)))
    }
    def inBuckets = {
      val totals = new BucketTotals(reader.indexes, surrounding)
      if (surrounding.mustBeOneTask(totals.all)) None
      else Some(totals.around(parts).map(RangeSurroundings.InBuckets(_, surrounding)))
    }
    val around: Option[Array[_ <: RangeSurroundings]] =
      if (surrounding.unbounded.needOnlyCounts && (partitionColumns == 0 || !reach.isUnbounded))
        Some(Array.fill(ranges.length)(RangeSurroundings.Counted(reader.sorted.rows)))
      else if (partitionColumns > 0 && cuts.forall(_.keepsTogether(partitionColumns)))
        Some(Array.fill(ranges.length)(RangeSurroundings.Scanned(SurroundingRows.None)))
      else if (partitionColumns == 0 && surrounding.unbounded.needOnlyEnds) atEnds
      else if (reader.hasAggregatesOf(plan)) inBuckets
      else scanned
    around.map(found => evaluate(reader, ranges.zip(found)))
  }

  private def evaluate(
      reader: RunsReader,
      ranges: Array[(RangeToRead, RangeSurroundings)]
  ): RDD[T] = {
    val open = reader.opener
    val ofRange = evaluation
    reader.readWith(ranges) { (range, around, parts) =>
      val found = open(range, around.functions, parts)
      ofRange.ofRange(found, () => around.of(found))
    }
  }
}
