package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{PartialMapperPartitionSpec, ShufflePartitionSpec}

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
final private[parallel] class ParallelWindow(
    plan: SlidingWindowPlan,
    parallel: ParallelPlan,
    input: Seq[Attribute],
    evaluation: RangeEvaluation
) {
  private[this] val keyOrder = RunOrder(plan.partitionSpec, plan.sortOrder)
  private[this] val reach = FrameReach.of(plan)
  private[this] val partitionColumns = plan.partitionSpec.size
  private[this] val surrounding = new SurroundingFunctions(plan, input)

  /**
   * The rows with their results, in partitions that follow one another in order. Writes the runs, and may run another job. None
   * if there is only one partition, which is not written.
   */
  def execute(runs: RunsExchangeExec): Option[RDD[InternalRow]] =
    runs.write().flatMap { written =>
      val own = runs.forWindow(plan, parallel, input)
      (if (own eq runs) Some(written) else own.write()).map(execute(own, _))
    }

  private def execute(runs: RunsExchangeExec, written: WrittenRuns): RDD[InternalRow] =
    if (plan.isWholeTable) evaluateWholeTable(runs, written).getOrElse(inOneTask(runs, written))
    else inOrder(runs, written)

  /** Whether several tasks may read the runs, although a run may be written again. */
  private def isRepeatable(runs: RunsExchangeExec, written: WrittenRuns): Boolean =
    written.determinism.exists(_.renamed(runs.output, input).allows(plan))

  /** Evaluates rows whose frame is the whole table. None if one task must evaluate them. */
  private def evaluateWholeTable(runs: RunsExchangeExec, written: WrittenRuns): Option[RDD[InternalRow]] = {
    val ranges = wholeRuns(written.indexes).map(RangeToRead.all(_, runs.buckets)).toArray
    lazy val total =
      if (runs.hasAggregatesOf(plan, input) && written.indexes.forall(_.hasAggregates))
        new BucketTotals(written.indexes, surrounding).all
      else totalOf(runs, ranges)
    if (!isRepeatable(runs, written) || surrounding.mustBeOneTask(total)) None
    else {
      val (evaluate, aggregate) = (evaluation, total)
      Some(
        read(runs, ranges)((range, parts) => evaluate.ofWholeTable(range.all(parts), aggregate))
      )
    }
  }

  /** The aggregate of some ranges, computed by a separate job. */
  private def totalOf(runs: RunsExchangeExec, ranges: Array[RangeToRead]): PartialAggregate = {
    val functions = surrounding
    val aggregates = collected(read(runs, ranges) { (range, parts) =>
      val aggregate = functions.aggregator()
      range.all(parts).foreach(aggregate.add)
      Iterator.single(OwnClasses.bytesOf(aggregate.result()))
    }).map(OwnClasses.valueOf[PartialAggregate])
    aggregates.foldLeft(functions.merger())(_ add _).result()
  }

  /** The runs that each task reads. Tasks have about the same number of rows if the runs do. */
  private def wholeRuns(indexes: Array[RunIndex]): Seq[Seq[Int]] = {
    val rows = indexes.map(_.rows).sum
    val tasks = math.max(1, parallel.tasksFor(rows))
    val before = indexes.map(_.rows).scanLeft(0L)(_ + _)
    def taskOf(run: Int) = ((before(run) + before(run + 1)) / 2.0 * tasks / math.max(1L, rows)).toLong
    val shares = indexes.indices.filter(indexes(_).rows > 0).groupBy(taskOf).toSeq.sortBy(_._1).map(_._2)
    if (shares.isEmpty) Seq(Nil) else shares
  }

  private def inOrder(runs: RunsExchangeExec, written: WrittenRuns): RDD[InternalRow] = {
    lazy val sorted = new Runs(written.indexes, new CutOrder(keyOrder.directions))
    val tasks = parallel.tasksFor(written.indexes.map(_.rows).sum)
    def inRanges(together: Option[Int]) =
      if (tasks < 2 || !isRepeatable(runs, written)) None
      else
        Some(sorted.cuts(tasks, together))
          .filter(_.nonEmpty)
          .flatMap(evaluateRanges(runs, written.indexes, sorted, _))
    val peers = if (reach.readsPeers) Some(partitionColumns + plan.orderSpec.size) else None
    inRanges(peers)
      .orElse(if (partitionColumns > 0) inRanges(Some(partitionColumns)) else None)
      .getOrElse(inOneTask(runs, written))
  }

  private def inOneTask(runs: RunsExchangeExec, written: WrittenRuns): RDD[InternalRow] = {
    val whole = evaluation
    val range = RangeToRead.all(written.indexes.indices, runs.buckets)
    read(runs, Array(range))((range, parts) => whole.ofAll(range.all(parts)))
  }

  /** Evaluates the ranges between the cuts. None if a partition that the cuts divide must be evaluated in one task. */
  private def evaluateRanges(
      runs: RunsExchangeExec,
      indexes: Array[RunIndex],
      sorted: Runs,
      cuts: Seq[Cut]
  ): Option[RDD[InternalRow]] = {
    val order = new CutOrder(keyOrder.directions)
    val halos = new Halos(plan, reach, sorted, order)
    val from = Cut.Start +: cuts.map(halos.before)
    val until = cuts.map(halos.after) :+ Cut.End
    val ends = Cut.Start +: cuts :+ Cut.End
    val cutsOf = from.indices.map(i => Array(from(i), ends(i), ends(i + 1), until(i)))
    val parts = cutsOf.map(sorted.parts)
    val ranges = cutsOf.zip(parts).map { case (cuts, parts) => RangeToRead.of(cuts, parts) }.toArray
    def scanned =
      surroundings(runs, sorted, order, ends, from.zip(until)).map(_.map(RangeSurroundings.Scanned(_)))
    def inBuckets = {
      val totals = new BucketTotals(indexes, surrounding)
      if (surrounding.mustBeOneTask(totals.all)) None
      else Some(totals.around(parts).map(RangeSurroundings.InBuckets(_, surrounding)))
    }
    val around: Option[Array[_ <: RangeSurroundings]] =
      if (surrounding.unbounded.needOnlyCounts && (partitionColumns == 0 || !reach.isUnbounded))
        Some(Array.fill(ranges.length)(RangeSurroundings.Counted(sorted.rows)))
      else if (partitionColumns > 0 && cuts.forall(_.keepsTogether(partitionColumns)))
        Some(Array.fill(ranges.length)(RangeSurroundings.Scanned(SurroundingRows.None)))
      else if (runs.hasAggregatesOf(plan, input)) inBuckets
      else scanned
    around.map(found => evaluate(runs, ranges.zip(found)))
  }

  private def evaluate(
      runs: RunsExchangeExec,
      ranges: Array[(RangeToRead, RangeSurroundings)]
  ): RDD[InternalRow] = {
    val open = rangeReader
    val ofRange = evaluation
    readWith(runs, ranges) { (range, around, parts) =>
      val found = open(range, around.functions, parts)
      ofRange.ofRange(found, () => around.of(found))
    }
  }

  /** The surroundings of the rows of each range; none if one task must evaluate them. */
  private def surroundings(
      runs: RunsExchangeExec,
      sorted: Runs,
      order: CutOrder,
      ends: Seq[Cut],
      ranges: Seq[(Cut, Cut)]
  ): Option[Array[SurroundingRows]] = {
    val points = (ends ++ ranges.flatMap(r => Seq(r._1, r._2)))
      .sortWith(order.compare(_, _) < 0)
      .foldLeft(Vector.empty[Cut])((kept, next) =>
        if (kept.nonEmpty && order.compare(kept.last, next) == 0) kept else kept :+ next
      )
    val pointsInOrder = points.toArray
    def place(cut: Cut) =
      java.util.Arrays.binarySearch(pointsInOrder, cut, (a: Cut, b: Cut) => order.compare(a, b))
    val places = ends.map(place)
    val toRead =
      places.zip(places.tail).map { case (a, b) => RangeToRead.of(sorted, pointsInOrder.slice(a, b + 1)) }
    val segments = aggregate(runs, toRead.toArray).flatten
    val scan = new SegmentScan(segments, surrounding)
    if (scan.mustBeOneTask) None
    else Some(ranges.map { case (from, until) => scan.around(place(from), place(until)) }.toArray)
  }

  /** The segments of each range, computed by a separate job. */
  private def aggregate(runs: RunsExchangeExec, ranges: Array[RangeToRead]): Array[Array[Option[Segment]]] = {
    val open = rangeReader
    val reader = new SegmentReader(plan, input, surrounding)
    val rows = read(runs, ranges) { (range, parts) =>
      Iterator.single(OwnClasses.bytesOf(reader.read(open(range, None, parts), range.cuts.length - 1)))
    }
    collected(rows).map(OwnClasses.valueOf[Array[Option[Segment]]])
  }

  /** The single value of each task. */
  private def collected(values: RDD[Array[Byte]]): Array[Array[Byte]] =
    values.sparkContext.runJob(values, (found: Iterator[Array[Byte]]) => found.next())

  private def rangeReader
      : (RangeToRead, Option[SurroundingFunctions], Int => Iterator[InternalRow]) => RangeRows = {
    val (order, attributes) = (keyOrder, input)
    (range, functions, parts) =>
      new RangeRows(range, parts, order.keys(attributes), new CutOrder(order.directions), functions)
  }

  private def read[T: ClassTag](runs: RunsExchangeExec, ranges: Array[RangeToRead])(
      f: (RangeToRead, Int => Iterator[InternalRow]) => Iterator[T]
  ): RDD[T] =
    readWith(runs, ranges.map((_, None)))((range, _, parts) => f(range, parts))

  /** Reads ranges. Each comes with a value that `f` needs besides its rows. */
  private def readWith[A, T: ClassTag](runs: RunsExchangeExec, ranges: Array[(RangeToRead, A)])(
      f: (RangeToRead, A, Int => Iterator[InternalRow]) => Iterator[T]
  ): RDD[T] = {
    val parts = for {
      (range, _) <- ranges
      (part, reads) <- range.parts.zip(range.reads)
      (first, end) <- reads
    } yield PartialMapperPartitionSpec(part.run, first, end): ShufflePartitionSpec
    val rows = runs.rowsOf
    new RangesRDD[A, T](
      runs.blocksOf(parts),
      runs.blocksOf(parts.take(1)),
      ranges,
      (range, value, blocks) => f(range, value, part => rows(blocks(part)))
    )
  }
}
