package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RepartitionByExpression, ReturnAnswer}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Marks the windows whose partitioning the query above relies on. Plans nothing. Runs before the strategies that plan windows. */
private[spark] object PartitionUses extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    plan match {
      case repartition: RepartitionByExpression => RepartitionAbove.note(repartition)
      case ReturnAnswer(query)                  => PlacesAbove.note(query)
      case _                                    => ()
    }
    Nil
  }
}
