package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{
  AQEShuffleReadExec,
  ShufflePartitionsUtil,
  ShuffleQueryStageExec
}
import org.apache.spark.sql.execution.exchange.ENSURE_REQUIREMENTS
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings

/**
 * Lets several tasks share the rows of a window with PARTITION BY if one task would get so many of them that the others wait for
 * it. Adaptive execution knows this once the shuffle is written. The rows are shuffled once more, and several tasks read the hot
 * partition.
 *
 * A partition of the shuffle is skewed if it is larger than `spark.slidewise.parallel.skewThreshold`, than
 * `spark.sql.adaptive.skewJoin.skewedPartitionFactor` times the median, and than [[SkewedWindows.Gain]] times the share of each
 * core if the rows were spread evenly over the tasks that would share them.
 */
private[spark] object SkewedWindows extends Rule[SparkPlan] {

  /**
   * The factor that sharing must gain: with the second shuffle, all tasks take nearly twice the processor time (`docs/scale.md`).
   */
  private val Gain = 2.0

  override def apply(plan: SparkPlan): SparkPlan =
    new SharedPartitions(conf, (_, rows) => splitReads(rows)).in(plan)

  /** The shuffle's partitions, with several tasks for each skewed partition; none if no partition is skewed. */
  private def splitReads(child: SparkPlan): Option[SparkPlan] = child match {
    case stage: ShuffleQueryStageExec                        => splitReads(stage)
    case AQEShuffleReadExec(stage: ShuffleQueryStageExec, _) => splitReads(stage)
    case _                                                   => None
  }

  private def splitReads(stage: ShuffleQueryStageExec): Option[SparkPlan] =
    // The partitions of a user's own shuffle stay as they are.
    stage.mapStats
      .filter(_ => stage.isMaterialized && stage.shuffle.shuffleOrigin == ENSURE_REQUIREMENTS)
      .flatMap { statistics =>
        val sizes = statistics.bytesByPartitionId
        val limit = skewedFrom(sizes, stage.getRuntimeStatistics.rowCount)
        val target =
          math.max(1L, (sizes.sum / conf.numShufflePartitions).max(SlidewiseSettings.skewThreshold(conf) / 4))
        val specs = sizes.indices.map { reducer =>
          val parts =
            if (sizes(reducer) <= limit) None
            else ShufflePartitionsUtil.createSkewPartitionSpecs(statistics.shuffleId, reducer, target)
          parts.getOrElse(Seq(CoalescedPartitionSpec(reducer, reducer + 1, sizes(reducer))))
        }
        if (specs.exists(_.size > 1)) Some(AQEShuffleReadExec(stage, specs.flatten)) else None
      }

  private def skewedFrom(sizes: Array[Long], rows: Option[BigInt]): Double = {
    val cores = SlidewiseSettings
      .parallelCores(conf)
      .getOrElse(session.fold(1L)(_.sparkContext.defaultParallelism.toLong))
    val limits = ParallelPlanner.limits(conf)
    val tasks = rows.fold(limits.maxTasks)(found => limits.tasksFor(found.toLong))
    val busy = math.max(1L, math.min(cores, tasks.toLong))
    val median = sizes.sorted.apply(sizes.length / 2)
    Seq(
      SlidewiseSettings.skewThreshold(conf).toDouble,
      median * conf.getConf(SQLConf.SKEW_JOIN_SKEWED_PARTITION_FACTOR).toString.toDouble,
      Gain * sizes.map(_.toDouble).sum / busy
    ).max
  }

  private def session = org.apache.spark.sql.SparkSession.getActiveSession
}
