package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, RepartitionByExpression, ReturnAnswer, Sort}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Marks the windows whose partitioning or order the query above relies on. Plans nothing. Runs before the strategies that plan windows. */
private[spark] object PartitionUses extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = {
    plan match {
      case repartition: RepartitionByExpression => RepartitionAbove.note(repartition)
      case sort: Sort                           => SortAbove.note(sort)
      case ReturnAnswer(query)                  => PlacesAbove.note(query)
      case _                                    => ()
    }
    Nil
  }
}
