package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{And, AttributeSet, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Window}
import org.apache.spark.sql.catalyst.rules.Rule

import org.slidewise.spark.plan.{StreamInput, StreamOutput}

/** Pushes filters on the partition keys below a window over a stream, as Spark's own rule does for tables. */
object PushFilterThroughStream extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transform {
    case filter @ Filter(condition, StreamOutput(child)) =>
      val (ofKeys, others) = splitConjunctivePredicates(condition).partition(isOfKeys(_, child))
      if (ofKeys.isEmpty) filter
      else {
        val passed = StreamOutput(Filter(ofKeys.reduce(And), child))
        others.reduceOption(And).fold[LogicalPlan](passed)(Filter(_, passed))
      }
    // A filter between the markers reads only partition keys, because other conditions stay above the output.
    case Filter(condition, input: StreamInput) => input.copy(child = Filter(condition, input.child))
  }

  private def isOfKeys(condition: Expression, child: LogicalPlan): Boolean =
    condition.deterministic && condition.references.nonEmpty &&
      child
        .collectFirst { case window: Window => AttributeSet(window.partitionSpec.flatMap(_.references)) }
        .exists(condition.references.subsetOf)
}
