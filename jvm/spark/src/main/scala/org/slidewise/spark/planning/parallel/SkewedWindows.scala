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
 * Lets several tasks share the rows of a skewed partition, for which the query would otherwise wait. Applies to windows with
 * PARTITION BY and window joins with keys. Adaptive execution knows the sizes of partitions once the shuffle is written. The rows
 * are then shuffled once more, and several tasks read the skewed partition.
 *
 * A partition of the shuffle is skewed if it is larger than `spark.slidewise.parallel.skewThreshold`, than
 * `spark.sql.adaptive.skewJoin.skewedPartitionFactor` times the median, and than [[SkewedWindows.Gain]] times the share of each
 * core if the rows were spread evenly over the tasks that would share them.
 */
private[spark] object SkewedWindows extends Rule[SparkPlan] {

  /** The least speed-up that justifies sharing. The second shuffle nearly doubles the CPU time of all tasks (`docs/scale.md`). */
  private val Gain = 2.0

  override def apply(plan: SparkPlan): SparkPlan = {
    val operators = new SharedOperators(conf)
    new SharedPartitions(
      conf,
      (_, now) => splitReads(now.children).flatMap(operators.over(now, _))
    ).in(plan)
  }

  /** The inputs, with several tasks for each skewed partition of their shuffles; none if no partition is skewed. */
  private def splitReads(inputs: Seq[SparkPlan]): Option[Seq[SparkPlan]] = {
    val shuffles = inputs.map(written)
    val read = shuffles.flatten
    // Both inputs of a join have the same partitions.
    val sizes = read.map(_.sizes.toSeq).transpose.map(_.sum).toArray
    if (read.isEmpty || read.map(_.sizes.length).distinct.size > 1) None
    else {
      val rows = read.map(_.stage.getRuntimeStatistics.rowCount)
      val limit = skewedFrom(sizes, if (rows.forall(_.nonEmpty)) Some(rows.flatten.sum) else None)
      if (!sizes.exists(_ > limit)) None
      else {
        val split = inputs.zip(shuffles).map { case (input, shuffle) =>
          shuffle.fold(input)(_.splitWhere(reducer => sizes(reducer) > limit))
        }
        if (split.exists(isSplit)) Some(split) else None
      }
    }
  }

  private def isSplit(input: SparkPlan): Boolean = input match {
    case AQEShuffleReadExec(_, specs) => specs.exists(_.isInstanceOf[PartialReducerPartitionSpec])
    case _                            => false
  }

  /**
   * The written shuffle that Spark has planned for an operator. None for a user's own shuffle, whose partitions stay as they are.
   */
  private def written(input: SparkPlan): Option[WrittenShuffle] = input match {
    case stage: ShuffleQueryStageExec =>
      stage.mapStats
        .filter(_ => stage.isMaterialized && stage.shuffle.shuffleOrigin == ENSURE_REQUIREMENTS)
        .map(found => new WrittenShuffle(stage, found.shuffleId, found.bytesByPartitionId))
    case AQEShuffleReadExec(stage: ShuffleQueryStageExec, _) => written(stage)
    case _                                                   => None
  }

  final private class WrittenShuffle(val stage: ShuffleQueryStageExec, id: Int, val sizes: Array[Long]) {

    /** Reads each partition for which `isSkewed` is true in several tasks. */
    def splitWhere(isSkewed: Int => Boolean): SparkPlan = {
      val target =
        math.max(1L, (sizes.sum / conf.numShufflePartitions).max(SlidewiseSettings.skewThreshold(conf) / 4))
      val specs = sizes.indices.map { reducer =>
        val parts =
          if (isSkewed(reducer))
            ShufflePartitionsUtil.createSkewPartitionSpecs(id, reducer, target)
          else None
        parts.getOrElse(Seq(CoalescedPartitionSpec(reducer, reducer + 1, sizes(reducer))))
      }
      AQEShuffleReadExec(stage, specs.flatten)
    }
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
