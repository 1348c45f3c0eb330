package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.execution._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.{SlidingWindowExec, WindowJoinExec}
import org.slidewise.spark.execution.parallel.{ParallelJoinExec, ParallelWindowExec, PlanDeterminism}

/** Creates the operators whose tasks share the partitions of windows with PARTITION BY, and of window joins with keys. */
final private[planning] class SharedOperators(conf: SQLConf) {
  private val determinism = new PlanDeterminism

  /**
   * The operator that evaluates a window or join over the inputs `rows`, which need not be partitioned. None if one task must
   * evaluate a partition, or if a task that runs again may read different rows.
   */
  def over(operator: SparkPlan, rows: Seq[SparkPlan]): Option[SparkPlan] = operator match {
    case window: SlidingWindowExec => shareWindow(window, rows.head)
    case join: WindowJoinExec      => shareJoin(join, rows.head, rows(1))
    case _                         => None
  }

  private def shareJoin(join: WindowJoinExec, left: SparkPlan, right: SparkPlan): Option[SparkPlan] =
    if (
      ParallelPlanner.reasonNot(join.plan).isEmpty &&
      ParallelJoinExec.allows(join.plan, determinism.of(left), determinism.of(right))
    ) {
      val shared = ParallelJoinExec.over(left, right, join.plan, ParallelPlanner.limits(conf))
      (shared +: shared.children).foreach(_.copyTagsFrom(join))
      Some(shared)
    } else None

  private def shareWindow(window: SlidingWindowExec, rows: SparkPlan): Option[SparkPlan] =
    ParallelPlanner
      .acrossTasks(conf, window)
      .filter(operator => determinism.of(rows).exists(_.allows(operator)))
      .map { operator =>
        val shared = ParallelWindowExec.over(rows, operator, ParallelPlanner.limits(conf))
        // With the tags of the window, adaptive execution keeps the exchange together with the window. Otherwise, it would replace
        // the exchange by a hash exchange.
        Seq(shared.child, shared).foreach(_.copyTagsFrom(window))
        SharedOperators.named(shared, window)
      }
}

private[parallel] object SharedOperators {

  /** Replaces `window` by `operator`, with the output columns of `window`. */
  def named(operator: SparkPlan, window: SparkPlan): SparkPlan =
    if (operator.output == window.output) operator
    else {
      val ordered = ProjectExec(window.output, operator)
      ordered.copyTagsFrom(window)
      ordered
    }
}
