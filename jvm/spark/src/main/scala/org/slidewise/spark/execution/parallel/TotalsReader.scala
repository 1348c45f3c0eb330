package org.slidewise.spark.execution.parallel

import scala.collection.mutable.ArrayBuffer
import scala.reflect.ClassTag

import org.apache.spark.{SparkException, TaskContext}
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.execution.exchange.FilteredBatchesExec
import org.slidewise.spark.execution.surroundings.{PartialAggregateMerger, SurroundingFunctions}
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Aggregates the rows of a table by partition, if there are few partitions. A first job reads a few rows of some tasks, and
 * detects most tables with many partitions. Jobs of growing size detect tables with many partitions whose rows are in the order
 * of the keys. Memory: a key and an aggregate for each partition, in each task and on the driver.
 *
 * @param rows
 *   the columns that the window reads, in batches or in rows
 */
final private[parallel] class TotalsReader(plan: SlidingWindowPlan, rows: SparkPlan) extends Logging {
  import TotalsReader._

  private[this] val functions = new SurroundingFunctions(plan, rows.output)
  private[this] val keys = plan.partitionSpec

  /**
   * Runs jobs that aggregate the partitions. None if there are many partitions, or if one task must evaluate one of them, see
   * [[SurroundingFunctions.mustBeOneTask]].
   */
  def read(): Option[TableTotals] =
    if (keys.nonEmpty && !mayHaveFewKeys) None
    else if (functions.unbounded.areGenerated) {
      val totals = new GeneratedTotals(functions, keys)
      try aggregate(totals.aggregated(rows).execute(), totals)
      catch {
        case e: SparkException if hasFailed(e) =>
          logInfo("Aggregating a table that is read twice failed, and its rows are read once", e)
          None
      }
    } else aggregate(FilteredBatchesExec.rowsOf(rows).execute(), new OneTotal(functions))

  /** Whether a few rows have few keys. */
  private def mayHaveFewKeys: Boolean = {
    val (partition, input) = (keys, rows.output)
    def areFew[T: ClassTag](found: RDD[T])(number: (KeyNumbers, T) => Int) =
      found.sparkContext
        .runJob(
          found,
          (_: TaskContext, part: Iterator[T]) => {
            val numbers = KeyNumbers.of(partition, input)
            var seen = 0
            while (part.hasNext && seen < FirstRows && TotalsReader.areFew(numbers))
              seen += number(numbers, part.next())
            TotalsReader.areFew(numbers)
          },
          jobs(found).head
        )
        .forall(identity)
    if (rows.supportsColumnar)
      areFew(rows.executeColumnar()) { (numbers, batch) =>
        numbers.of(batch): Unit
        math.max(1, batch.numRows)
      }
    else
      areFew(rows.execute()) { (numbers, row) =>
        numbers.of(row): Unit
        1
      }
  }

  private def aggregate(found: RDD[InternalRow], totals: TaskTotals): Option[TableTotals] = {
    val merged = new TotalsMerger(functions, totals.numbers)
    var fits = true
    var read = 0
    for (job <- jobs(found) if fits) {
      val parts = found.sparkContext.runJob(
        found,
        (_: TaskContext, part: Iterator[InternalRow]) => totals.of(part).map(OwnClasses.bytesOf(_)),
        job
      )
      read += job.size
      fits = parts.forall(_.isDefined) && {
        parts.flatten.foreach(part => merged.add(OwnClasses.valueOf[TableTotals](part)))
        merged.areFew(found.getNumPartitions.toDouble / read)
      }
    }
    if (fits) Some(merged.result).filterNot(_.aggregates.exists(functions.mustBeOneTask)) else None
  }

  /** The partitions of an RDD that each job reads. They are spread over the RDD, since files may be in the order of the keys. */
  private def jobs(found: RDD[_]): Seq[Seq[Int]] = {
    val partitions = found.getNumPartitions
    if (keys.isEmpty || partitions == 0) Seq(0 until partitions)
    else {
      val cores = math.max(1, found.sparkContext.defaultParallelism)
      val stride = math.max(1, partitions / cores)
      val spread = (0 until partitions).groupBy(_ % stride).toSeq.sortBy(_._1).flatMap(_._2)
      val ends = Iterator.iterate(cores.toLong)(_ * Growth).takeWhile(_ < partitions).map(_.toInt).toSeq
      (0 +: ends).zip(ends :+ partitions).map { case (from, until) => spread.slice(from, until) }
    }
  }
}

private object TotalsReader {

  /** The greatest number of partitions. */
  val MostKeys: Int = 1 << 14

  /** The greatest size of all keys, in bytes. */
  private val MostBytes = 8L << 20

  /** The greatest number of aggregates that tasks send to the driver. */
  private val MostParts = 200000

  /** The number of rows of a task that are read first. */
  private val FirstRows = 1 << 15

  private val Growth = 4L

  /** Whether there are so few keys that a table is read twice. */
  def areFew(numbers: KeyNumbers): Boolean = numbers.size <= MostKeys && numbers.bytes <= MostBytes

  /**
   * Whether a job has failed with an arithmetic error, and was not cancelled. If the rows fail in Spark, they fail again in the
   * evaluation that reads them once.
   */
  private def hasFailed(e: SparkException): Boolean =
    !Thread.currentThread.isInterrupted && Iterator
      .iterate[Throwable](e)(_.getCause)
      .takeWhile(_ != null)
      .exists(_.isInstanceOf[ArithmeticException])

  /** Merges the aggregates of several tasks. */
  final private class TotalsMerger(functions: SurroundingFunctions, numbers: KeyNumbers) {
    private[this] val groups = ArrayBuffer.empty[PartialAggregateMerger]
    private[this] var parts = 0L

    def add(part: TableTotals): Unit = {
      part.keys.indices.foreach { i =>
        val number = numbers.ofBytes(part.keys(i))
        if (number == groups.size) groups += functions.merger()
        groups(number).add(part.aggregates(i)): Unit
      }
      parts += part.keys.length
    }

    /** Whether all tasks are expected to find few partitions. There are `times` as many tasks as have been added. */
    def areFew(times: Double): Boolean = TotalsReader.areFew(numbers) && parts * times <= MostParts

    def result: TableTotals = TableTotals(numbers.keys, groups.map(_.result()).toArray)
  }
}
