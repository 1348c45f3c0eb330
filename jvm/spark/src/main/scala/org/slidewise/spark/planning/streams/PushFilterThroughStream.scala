package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule

/** Lets conditions on the partition keys alone pass a window over a stream, as Spark's own rule does for tables. */
object PushFilterThroughStream extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case Filter(condition, StreamOutput(child)) if isOfKeys(condition, child) =>
      StreamOutput(Filter(condition, child))
    case Filter(condition, StreamInput(child)) if condition.deterministic =>
      StreamInput(Filter(condition, child))
  }

  // A filter within the markers is there only because it is of keys: other conditions stay above the output.
  private def isOfKeys(condition: Expression, child: LogicalPlan): Boolean =
    condition.deterministic && condition.references.nonEmpty && {
      val keys = child.collectFirst { case window: Window =>
        AttributeSet(window.partitionSpec.flatMap(_.references))
      }
      keys.exists(condition.references.subsetOf)
    }
}
