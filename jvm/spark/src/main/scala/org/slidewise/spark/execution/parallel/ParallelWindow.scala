package org.slidewise.spark.execution.parallel

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{PartialMapperPartitionSpec, ShufflePartitionSpec}

import org.slidewise.spark.execution.surroundings.{Outside, OutsideFunctions, Surroundings}
import org.slidewise.spark.plan.{FrameReach, ParallelPlan, SlidingWindowPlan}

/**
 * Evaluates a window in several tasks, whatever its partitions.
 *
 * The rows are cut into ranges of about the same size. The task of a range reads it with its [[Halos]], evaluates all of them,
 * and hands out the results of its own rows. For functions that depend on all rows before or after a row, another job aggregates
 * the rows between the cuts first, and the driver scans these aggregates.
 *
 * @param input
 *   the attributes of a row
 */
final private[execution] class ParallelWindow(
    plan: SlidingWindowPlan,
    parallel: ParallelPlan,
    input: Seq[Attribute],
    evaluation: RangeEvaluation
) {
  private[this] val keyOrder = RunOrder(plan.partitionSpec, plan.sortOrder)
  private[this] val reach = FrameReach.of(plan)
  private[this] val partitionColumns = plan.partitionSpec.size
  private[this] val outside = new OutsideFunctions(plan, input)

  /**
   * The rows with their results, in partitions that follow one another in order. Writes the runs, and may run another job. None if
   * there is but one partition, which is not written.
   */
  def execute(runs: RunsExchangeExec): Option[RDD[InternalRow]] = runs.write().map(execute(runs, _))

  private def execute(runs: RunsExchangeExec, written: WrittenRuns): RDD[InternalRow] = {
    lazy val sorted = new Runs(written.indexes, new CutOrder(keyOrder.directions))
    val rows = written.indexes.map(_.rows).sum
    val tasks = math.min(parallel.maxTasks.toLong, rows / parallel.minRows).toInt
    def inRanges(together: Option[Int]) =
      if (tasks < 2 || !written.isRepeatable) None
      else Some(sorted.cuts(tasks, together)).filter(_.nonEmpty).flatMap(evaluateRanges(runs, sorted, _))
    val peers = if (reach.readsPeers) Some(partitionColumns + plan.orderSpec.size) else None
    inRanges(peers)
      .orElse(if (partitionColumns > 0) inRanges(Some(partitionColumns)) else None)
      .getOrElse(inOneTask(runs, written))
  }

  private def inOneTask(runs: RunsExchangeExec, written: WrittenRuns): RDD[InternalRow] = {
    val whole = evaluation
    val all = RangeToRead.all(written.indexes.length, runs.buckets)
    read(runs, Array(all))((_, range, parts) => whole.ofAll(range.parts.indices.iterator.flatMap(parts)))
  }

  /** None if a partition that the cuts part must be evaluated in one task. */
  private def evaluateRanges(
      runs: RunsExchangeExec,
      sorted: Runs,
      cuts: Seq[Cut]
  ): Option[RDD[InternalRow]] = {
    val order = new CutOrder(keyOrder.directions)
    val halos = new Halos(plan, reach, sorted, order)
    val from = Cut.Start +: cuts.map(halos.before)
    val until = cuts.map(halos.after) :+ Cut.End
    val ends = Cut.Start +: cuts :+ Cut.End
    val ranges = from.indices.map { i =>
      RangeToRead.of(sorted, Array(from(i), ends(i), ends(i + 1), until(i)))
    }.toArray
    val around =
      if (outside.isEmpty && (partitionColumns == 0 || !reach.isUnbounded)) Some(None)
      else if (partitionColumns > 0 && cuts.forall(_.columns <= partitionColumns))
        Some(Some(Array.fill(ranges.length)(Surroundings.None)))
      else surroundings(runs, sorted, order, ends, from.zip(until)).map(Some(_))
    around.map(evaluate(runs, ranges, sorted.rows, _))
  }

  private def evaluate(
      runs: RunsExchangeExec,
      ranges: Array[RangeToRead],
      rows: Long,
      around: Option[Array[Surroundings]]
  ): RDD[InternalRow] = {
    val open = rangeReader
    val ofRange = evaluation
    read(runs, ranges) { (i, range, parts) =>
      val found = open(range, parts)
      def counted = {
        val before = found.rowsBefore
        Surroundings(Outside.ofRows(before), Outside.ofRows(rows - before - (1 to 3).map(found.rowsIn).sum))
      }
      ofRange.ofRange(found, () => around.fold(counted)(_(i)))
    }
  }

  /** What lies around the rows of each range; none if they must be evaluated in one task. */
  private def surroundings(
      runs: RunsExchangeExec,
      sorted: Runs,
      order: CutOrder,
      ends: Seq[Cut],
      ranges: Seq[(Cut, Cut)]
  ): Option[Array[Surroundings]] = {
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
    val scan = new SegmentScan(segments, outside)
    if (scan.mustBeOneTask) None
    else Some(ranges.map { case (from, until) => scan.around(place(from), place(until)) }.toArray)
  }

  /** The segments of each range, by a job of its own. */
  private def aggregate(runs: RunsExchangeExec, ranges: Array[RangeToRead]): Array[Array[Option[Segment]]] = {
    val open = rangeReader
    val reader = new SegmentReader(plan, input, outside)
    val rows = read(runs, ranges) { (_, range, parts) =>
      Iterator.single(OwnClasses.bytesOf(reader.read(open(range, parts), range.cuts.length - 1)))
    }
    rows.sparkContext
      .runJob(rows, (found: Iterator[Array[Byte]]) => found.next())
      .map(OwnClasses.valueOf[Array[Option[Segment]]])
  }

  private def rangeReader: (RangeToRead, Int => Iterator[InternalRow]) => RangeRows = {
    val (order, attributes) = (keyOrder, input)
    (range, parts) => new RangeRows(range, parts, order.keys(attributes), new CutOrder(order.directions))
  }

  private def read[T: scala.reflect.ClassTag](runs: RunsExchangeExec, ranges: Array[RangeToRead])(
      f: (Int, RangeToRead, Int => Iterator[InternalRow]) => Iterator[T]
  ): RDD[T] = {
    val parts = for {
      range <- ranges
      (part, reads) <- range.parts.zip(range.reads)
      (first, end) <- reads
    } yield PartialMapperPartitionSpec(part.run, first, end): ShufflePartitionSpec
    new RangesRDD(runs.getShuffleRDD(parts), ranges, f)
  }
}
