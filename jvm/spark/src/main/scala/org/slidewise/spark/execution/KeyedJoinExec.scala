package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.BinaryExecNode

/** A join whose sides are distributed by their keys; without keys, one task has all rows. Returns each left row once. */
trait KeyedJoinExec extends BinaryExecNode {
  def leftKeys: Seq[Expression]
  def rightKeys: Seq[Expression]

  final override def requiredChildDistribution: Seq[Distribution] =
    if (leftKeys.isEmpty) Seq(AllTuples, AllTuples)
    else Seq(ClusteredDistribution(leftKeys), ClusteredDistribution(rightKeys))

  final protected def ascending(keys: Seq[Expression]): Seq[SortOrder] = keys.map(SortOrder(_, Ascending))

  @transient final override lazy val outputPartitioning: Partitioning = left.outputPartitioning
}
