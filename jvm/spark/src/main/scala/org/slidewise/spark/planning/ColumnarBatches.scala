package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.execution.BatchesOut
import org.slidewise.spark.execution.exchange.{FilteredBatchesExec, RowBlocksExchange}

/**
 * Has operators hand out batches of columns, and exchanges read those below them, where Spark would make rows of these only for
 * the exchange.
 */
private[planning] object ColumnarBatches extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case operator: BatchesOut        => operator.inBatches
    case exchange: RowBlocksExchange =>
      FilteredBatchesExec
        .below(exchange.child)
        .fold[SparkPlan](exchange)(batches => exchange.withNewChildren(Seq(batches)))
  }
}
