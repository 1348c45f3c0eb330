package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.WindowJoinExec
import org.slidewise.spark.plan.WindowJoin

/** Plans [[WindowJoin]]s. */
object WindowJoinStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case join: WindowJoin =>
      val planned = WindowJoinPlanner.plan(join, join.named, SQLConf.get)
      val operator = WindowJoinExec(planned, planLater(join.left), planLater(join.right))
      Seq(if (operator.output == join.output) operator else ProjectExec(join.output, operator))
    case _ => Nil
  }
}
