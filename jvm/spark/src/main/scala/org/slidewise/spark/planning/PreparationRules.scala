package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Rules for physical plans whose exchanges and sorts Spark has planned. */
private[spark] object PreparationRules extends Rule[SparkPlan] {

  /** The same rules for plans that adaptive execution does not run. The plans that it does run have been through the rules. */
  object Columnar extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = PreparationRules
  }

  override def apply(plan: SparkPlan): SparkPlan =
    SharedRuns(BlockExchanges(ExpectedSkew(PartitionOrder(TopRowsInOrder(plan)))))
}
