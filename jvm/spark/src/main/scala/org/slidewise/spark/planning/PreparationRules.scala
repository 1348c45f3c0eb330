package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/** Applies rules, one after the other, to physical plans whose exchanges and sorts Spark has planned. */
final private[spark] class PreparationRules(rules: Seq[Rule[SparkPlan]]) extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = rules.foldLeft(plan)((found, rule) => rule(found))

  /** The same rules for plans without adaptive execution. Adaptive execution has already applied the rules to its own plans. */
  val columnar: ColumnarRule = new PreparationRules.Columnar(this)
}

private[spark] object PreparationRules {
  final class Columnar(rules: PreparationRules) extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = rules
    override def postColumnarTransitions: Rule[SparkPlan] = ColumnarBatches
  }
}
