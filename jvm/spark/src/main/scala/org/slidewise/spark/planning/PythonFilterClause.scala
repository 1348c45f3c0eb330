package org.slidewise.spark.planning

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.PythonAggregate
import org.slidewise.spark.shims.SparkSessions

/**
 * Passes the condition of `FILTER (WHERE …)` to an aggregator in Python as its argument `filter`. The rule runs before Spark
 * resolves functions, since Spark refuses the clause for any function in Python. While Slidewise is off, Spark's error remains.
 */
final class PythonFilterClause(session: SparkSession) extends Rule[LogicalPlan] {
  import PythonFilterClause._

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case call: UnresolvedFunction
          if call.filter.isDefined && isAggregator(call.nameParts) && SlidewiseSettings.enabled(conf) =>
        call.copy(
          arguments = call.arguments ++ call.filter.map(NamedArgumentExpression("filter", _)),
          filter = None
        )
    }

  /**
   * Whether `name` is an aggregator of `slidewise.udaf`. Builds only functions from `spark.udf.register`, which has no side effect.
   */
  private def isAggregator(name: Seq[String]): Boolean = name match {
    case Seq(single) =>
      val catalog = SparkSessions.of(session).sessionState.catalog
      catalog.lookupBuiltinOrTempFunction(single).exists(_.getSource == InPython) &&
      catalog.resolveBuiltinOrTempFunction(single, Nil).exists(isOurs)
    case _ => false
  }
}

private object PythonFilterClause {
  private val InPython = "python_udf"

  private def isOurs(function: Expression): Boolean = function match {
    case aggregate: AggregateExpression => isOurs(aggregate.aggregateFunction)
    case other                          => PythonAggregate.of(other).isDefined
  }
}
