package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.PushDownPredicates
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

import org.slidewise.spark.expressions.GroupingKeys
import org.slidewise.spark.plan.WindowJoin
import org.slidewise.spark.shims.SparkCollations

/**
 * Filters the right rows of a [[WindowJoin]] by what is known of the keys of all left rows, as Spark does for its joins: other right
 * rows have the keys of no left row. The filters reach the readers of files and prune partitions.
 */
object InferKeyFilters extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.constraintPropagationEnabled) plan
    else
      plan.transformUp { case join: WindowJoin =>
        inferred(join).reduceOption[Expression](And(_, _)).fold(join) { condition =>
          join.copy(right = PushDownPredicates(Filter(condition, join.right)))
        }
      }

  private def inferred(join: WindowJoin): Seq[Expression] = {
    val keys = AttributeMap(join.leftKeys.zip(join.rightKeys).collect {
      case (left: Attribute, right: Attribute) if haveOneForm(left, right) => left -> right
    })
    if (keys.isEmpty) Nil
    else {
      val known = join.right.constraints
      join.left.constraints.toSeq
        .filter(c => c.references.nonEmpty && c.references.forall(keys.contains) && isUseful(c))
        .map(_.transform { case a: Attribute => keys(a) })
        .filterNot(known.contains)
    }
  }

  /** Whether equal keys are the same value, so that an expression has the same value for both. */
  private def haveOneForm(left: Attribute, right: Attribute): Boolean =
    left.dataType == right.dataType && SparkCollations.isBinaryStable(left.dataType) &&
      GroupingKeys.isNormal(left)

  // The operator drops rows with null keys.
  private def isUseful(condition: Expression): Boolean = condition match {
    case _: IsNotNull => false
    case other        => FramedSubquery.isPlain(other) && !TotalBound.mayFail(other)
  }
}
