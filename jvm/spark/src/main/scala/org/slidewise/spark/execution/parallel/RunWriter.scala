package org.slidewise.spark.execution.parallel

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.task.TaskResources

/**
 * Puts the rows of a task into buckets that follow one another in the sort order, and have about the same number of rows; a sample
 * decides where they begin. A task that runs again puts the same rows into the same buckets.
 *
 * @param byContent
 *   whether the child may return its rows in another order when the task runs again
 * @param buckets
 *   at most how many each run has
 */
final private[parallel] class RunWriter(
    order: RunOrder,
    byContent: Boolean,
    buckets: Int,
    input: Seq[Attribute],
    indexes: RunIndexes,
    metrics: Map[String, SQLMetric]
) extends Serializable {

  def write(
      run: Int,
      rows: Iterator[InternalRow],
      context: TaskContext
  ): Iterator[Product2[Int, InternalRow]] = {
    val begin = System.nanoTime()
    val resources = new TaskResources(context)
    val log = RowLog.of(input, resources)
    context.addTaskCompletionListener[Unit] { _ =>
      metrics(RunMetrics.Memory) += log.peakMemory
      metrics(RunMetrics.Spill) += log.spilledBytes
      log.close()
    }
    val sample = newSample()
    rows.foreach { row =>
      if (log.end % RunWriter.CheckEvery == 0) resources.stopIfCancelled()
      val read = row.asInstanceOf[UnsafeRow]
      sample.add(read)
      log.append(read)
    }
    val splitters =
      new Splitters(sample.splitters(bucketsOf(log.end), order.ordering), order, input, log.end, byContent)
    metrics(RunMetrics.SampleTime) += System.nanoTime() - begin
    new SampledBuckets(log, splitters, resources, index => indexes.add(run, index))
  }

  private def newSample(): KeySample = {
    val key = order.keys(input)
    val most = buckets * RunWriter.SampledABucket
    if (byContent) new KeySample.ByContent(key, most) else new KeySample.ByPosition(key, most)
  }

  private def bucketsOf(rows: Long): Int =
    math.max(1L, math.min(buckets.toLong, rows / RunWriter.FewestRows)).toInt
}

private object RunWriter {

  /** A bucket of fewer rows would cost more than it saves. */
  private val FewestRows = 64L

  /** As many sampled keys for each bucket make its size exact to a third. Cuts depend on counted rows only. */
  private val SampledABucket = 8

  private val CheckEvery = 4096L
}

private[parallel] object RunMetrics {
  val DataSize = "dataSize"
  val SampleTime = "sampleTime"
  val Memory = "peakMemory"
  val Spill = "spillSize"

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    DataSize -> SQLMetrics.createSizeMetric(context, "data size"),
    SampleTime -> SQLMetrics.createNanoTimingMetric(context, "time in sample, including the child's"),
    Memory -> SQLMetrics.createSizeMetric(context, "peak memory"),
    Spill -> SQLMetrics.createSizeMetric(context, "spill size")
  )
}
