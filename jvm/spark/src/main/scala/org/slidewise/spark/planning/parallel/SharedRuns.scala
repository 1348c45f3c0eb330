package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec}

import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.execution.parallel.{ParallelWindowExec, RunsExchangeExec}

/**
 * Computes the input of several windows without PARTITION BY once, as Spark does by reuse of its exchange to one partition. If an
 * operator of Spark reads the same rows in one partition, the windows read its exchange.
 */
private[spark] object SharedRuns extends Rule[SparkPlan] with AdaptiveSparkPlanHelper {

  override def apply(plan: SparkPlan): SparkPlan =
    if (!plan.exists(_.isInstanceOf[RunsExchangeExec])) plan
    else {
      val reads = collectWithSubqueries(plan) { case runs: RunsExchangeExec => runs.canonicalized }
        .groupBy(identity)
        .map { case (runs, all) => runs -> all.size }
      val single = collectWithSubqueries(plan) {
        case exchange: ShuffleExchangeExec if exchange.outputPartitioning == SinglePartition =>
          exchange.child.canonicalized
      }.toSet
      // Top down, so that the nodes below a match have not changed since the comparison. In subqueries, too: Spark may have the query
      // around them read what they write.
      plan.transformDownWithSubqueries {
        case ParallelWindowExec(plan, _, expressions, partitionSpec, orderSpec, runs: RunsExchangeExec, _)
            if runs.partitionSpec.isEmpty && single(runs.child.canonicalized) =>
          SlidingWindowExec(
            plan.copy(oneTask = Some(Reason)),
            expressions,
            partitionSpec,
            orderSpec,
            ShuffleExchangeExec(SinglePartition, runs.child, ENSURE_REQUIREMENTS)
          )
        case runs: RunsExchangeExec if !runs.isReread && reads.get(runs.canonicalized).exists(_ > 1) =>
          runs.copy(isReread = true)
      }
    }

  private val Reason = "an operator of Spark reads the same rows, in one partition"
}
