package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/**
 * What a `GROUP BY` with a hopping `window()` computes, in terms of the stream's columns: the optimizer moves expressions to columns
 * whose names differ from run to run.
 */
final case class HoppingDefinition(keys: Seq[Expression], aggregates: Seq[AggregateExpression])

object HoppingDefinition {

  /** @param keys in terms of `child`, as are `aggregates` */
  def of(
      keys: Seq[Expression],
      aggregates: Seq[AggregateExpression],
      child: LogicalPlan
  ): HoppingDefinition = {
    val definitions = child
      .collect { case project: Project => project.projectList }
      .flatten
      .collect { case alias: Alias if alias.name.startsWith("_") => alias.exprId -> alias.child }
      .toMap
    def inPlace(expression: Expression): Expression = expression.transform {
      case column: Attribute if definitions.contains(column.exprId) => inPlace(definitions(column.exprId))
    }
    HoppingDefinition(
      keys.map {
        case Alias(key, _) => inPlace(key)
        case key           => inPlace(key)
      },
      aggregates.map(inPlace).collect { case aggregate: AggregateExpression => aggregate }
    )
  }
}
