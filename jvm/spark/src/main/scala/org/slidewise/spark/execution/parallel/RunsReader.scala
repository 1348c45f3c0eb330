package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{PartialMapperPartitionSpec, ShufflePartitionSpec}

import org.slidewise.spark.execution.surroundings.SurroundingFunctions
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Reads the runs that an exchange has written: in ranges by several tasks, or as a whole by one task.
 *
 * @param order
 *   the order of the runs
 * @param input
 *   the attributes of a row
 */
final private[parallel] class RunsReader(
    runs: RunsExchangeExec,
    written: WrittenRuns,
    order: RunOrder,
    val input: Seq[Attribute]
) {

  def indexes: Array[RunIndex] = written.indexes

  /** The number of all rows. */
  def rows: Long = indexes.map(_.rows).sum

  def cutOrder: CutOrder = new CutOrder(order.directions)

  /** The runs as one sequence. */
  lazy val sorted: Runs = new Runs(indexes, cutOrder)

  /** Whether the runs were written with the aggregates that a window needs. */
  def hasAggregatesOf(plan: SlidingWindowPlan): Boolean = runs.hasAggregatesOf(plan, input)

  /** The determinism of the tasks that write the runs; none if a task that runs again may write other rows. */
  def determinism: Option[OutputDeterminism] = written.determinism.map(_.renamed(runs.output, input))

  /** All rows, as one range. */
  def whole: RangeToRead = RangeToRead.all(indexes.indices, buckets)

  /** The maximum number of buckets of a run. */
  def buckets: Int = runs.buckets

  /** Reads ranges. Each task gets a range, and the rows of its parts. */
  def read[T: ClassTag](ranges: Array[RangeToRead])(
      f: (RangeToRead, RowsOfParts) => Iterator[T]
  ): RDD[T] =
    readWith(ranges.map((_, None)))((range, _, parts) => f(range, parts))

  /** Reads ranges. Each range comes with a value that `f` needs besides the rows. */
  def readWith[A, T: ClassTag](ranges: Array[(RangeToRead, A)])(
      f: (RangeToRead, A, RowsOfParts) => Iterator[T]
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
      (range, value, blocks) => f(range, value, new RowsOfParts(range.parts.length, blocks, rows))
    )
  }

  /** Reads ranges in a job. Each task returns one value. */
  def collect(ranges: Array[RangeToRead])(
      f: (RangeToRead, RowsOfParts) => Array[Byte]
  ): Array[Array[Byte]] = {
    val values = read(ranges)((range, parts) => Iterator.single(f(range, parts)))
    values.sparkContext.runJob(values, (found: Iterator[Array[Byte]]) => found.next())
  }

  /**
   * Returns a function that opens a range in a task. The function's second argument names the functions to aggregate over rows
   * outside the range.
   */
  def opener: (RangeToRead, Option[SurroundingFunctions], RowsOfParts) => RangeRows = {
    val (runOrder, attributes) = (order, input)
    (range, functions, parts) =>
      new RangeRows(range, parts, runOrder.keys(attributes), new CutOrder(runOrder.directions), functions)
  }
}

private[parallel] object RunsReader {

  /**
   * Writes the runs of `runs`, and writes them again if `order` is another order. Returns a reader of the runs; none if there is
   * only one partition, which is not written.
   */
  def inOrder(
      runs: RunsExchangeExec,
      order: RunOrder,
      parallel: ParallelPlan,
      input: Seq[Attribute]
  ): Option[RunsReader] =
    runs.write().flatMap { written =>
      val own = runs.inOrder(order, parallel, input)
      (if (own eq runs) Some(written) else own.write()).map(new RunsReader(own, _, order, input))
    }
}
