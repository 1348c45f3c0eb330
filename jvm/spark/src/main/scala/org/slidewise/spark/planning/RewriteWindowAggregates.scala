package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.optimizer.EliminateDistinct
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.{
  DistinctAggregate,
  DistinctRows,
  OrderDependent,
  OverAnyFrame,
  WithinGroup
}
import org.slidewise.spark.families.Families

/**
 * Rewrites aggregates over windows that Spark's analyzer would refuse:
 *
 *   - `f(DISTINCT …)` becomes a [[DistinctAggregate]], or `f(…)` if duplicates do not change the result;
 *   - `median`, `percentile_cont` and `percentile_disc` over a window with ORDER BY or a frame become an [[OverAnyFrame]].
 *
 * While Slidewise is off, and for aggregates that the rule cannot rewrite, Spark's error remains. The analyzer names the columns
 * before it creates a [[Window]], so that their names do not change.
 */
object RewriteWindowAggregates extends Rule[LogicalPlan] {
  private val WholePartition = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, UnboundedFollowing)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case window: Window if SlidewiseSettings.enabled(conf) => rewritten(window)
  }

  /**
   * Rewrites aggregates over windows in operators that the analyzer could not resolve. Spark then reports the actual error, and not
   * the DISTINCT of another expression. Must run after all rules that name columns.
   */
  object InUnresolved extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (plan.resolved || !plan.containsPattern(WINDOW_EXPRESSION) || !SlidewiseSettings.enabled(conf)) plan
      else plan.resolveOperatorsUp { case node if !node.resolved => rewritten(node) }
  }

  private def rewritten(node: LogicalPlan): LogicalPlan = node.transformExpressions {
    case w @ WindowExpression(call: AggregateExpression, spec) if w.resolved =>
      w.copy(windowFunction = rewritten(call, spec))
  }

  private def rewritten(call: AggregateExpression, window: WindowSpecDefinition): AggregateExpression =
    call.aggregateFunction match {
      case f if call.isDistinct && ignoresDuplicates(f) => rewritten(call.copy(isDistinct = false), window)
      case f if call.isDistinct && allowsDistinct(f)    =>
        call.copy(aggregateFunction = DistinctAggregate(f), isDistinct = false)
      case f
          if (window.orderSpec.nonEmpty || window.frameSpecification != WholePartition) &&
            Families.of(f).isOfWholePartitions =>
        call.copy(aggregateFunction = OverAnyFrame(f))
      case _ => call
    }

  private def ignoresDuplicates(function: AggregateFunction): Boolean = {
    val replaced = WindowCall.replaced(function)
    Families.of(replaced).ignoresDuplicates || EliminateDistinct.isDuplicateAgnostic(replaced)
  }

  private def allowsDistinct(function: AggregateFunction): Boolean = {
    val arguments = function.children
    arguments.forall(argument => DistinctRows.canGroup(argument.dataType)) && (function match {
      case f: OrderDependent if f.requiresOrder                                              => false
      case _: WithinGroup                                                                    => false
      case _: DeclarativeAggregate | _: ImperativeAggregate | _: RuntimeReplaceableAggregate =>
        // As in GROUP BY, listagg(DISTINCT …) WITHIN GROUP may be ordered by its argument only.
        arguments.forall {
          case order: SortOrder => order.child.semanticEquals(arguments.head)
          case _                => true
        }
      case _ => false
    })
  }
}
