package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.plans.physical.UnspecifiedDistribution
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ValidateRequirements
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.execution.parallel.RunsExchangeExec

/** Has several tasks share the rows of windows with PARTITION BY, where nothing above relies on their partitions. */
private[planning] object SharedPartitions {

  /**
   * The plan with the windows shared whose rows are given. A window stays as it is if an operator above relies on the partition
   * keys, or the user's own `repartition` by them; if one task must evaluate a partition; and if a task that runs again may have
   * other rows.
   *
   * @param rows
   *   of a window, which need not be partitioned; none if it is not to be shared
   */
  def in(plan: SparkPlan, conf: SQLConf)(rows: SlidingWindowExec => Option[SparkPlan]): SparkPlan = {
    // Without windows, no setting is read, and an invalid one fails nothing.
    val windows = plan.collect { case window: SlidingWindowExec if hasKeys(window) => window }
    if (windows.isEmpty || !SlidewiseSettings.enabled(conf) || !SlidewiseSettings.parallel(conf)) plan
    else
      windows.foldLeft(plan) { (before, window) =>
        rows(window).flatMap(share(conf, window, _)).fold(before) { shared =>
          val after = before.transformDown { case found if found eq window => shared }
          if (ValidateRequirements.validate(after, UnspecifiedDistribution)) after else before
        }
      }
  }

  private def hasKeys(window: SlidingWindowExec) =
    window.partitionSpec.nonEmpty && window.plan.parallel.isLeft && !RepartitionAbove.of(window)

  private def share(conf: SQLConf, window: SlidingWindowExec, rows: SparkPlan): Option[SparkPlan] = {
    val planner =
      new WindowPlanner(
        conf,
        window.partitionSpec,
        window.orderSpec,
        window.plan.sortOrder,
        acrossTasks = true
      )
    val planned = planner.plan(window.windowExpression)
    planned.operator
      .filter(_ => ParallelPlanner.reasonNot(conf, planned).isEmpty)
      .map(_.copy(parallel = Right(ParallelPlanner.parallel(conf))))
      .filter(RunsExchangeExec.isRepeatable(_, rows))
      .map { operator =>
        val exchange = ParallelPlanner.exchange(operator, rows)
        val shared = SlidingWindowExec(operator, exchange)
        // Adaptive execution keeps the window with the exchange, which it would replace by one by hash otherwise.
        Seq(exchange, shared).foreach(_.copyTagsFrom(window))
        if (shared.output == window.output) shared
        else {
          val ordered = ProjectExec(window.output, shared)
          ordered.copyTagsFrom(window)
          ordered
        }
      }
  }
}
