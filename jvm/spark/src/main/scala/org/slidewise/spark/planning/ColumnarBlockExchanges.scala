package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.execution.exchange.{BlockExchangeExec, FilteredBatchesExec}

/** Has exchanges read the batches of columns below them, where Spark would make rows of these only for the exchange. */
private[planning] object ColumnarBlockExchanges extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp { case exchange: BlockExchangeExec =>
    FilteredBatchesExec
      .below(exchange.child)
      .fold[SparkPlan](exchange)(batches => exchange.copy(child = batches))
  }
}
