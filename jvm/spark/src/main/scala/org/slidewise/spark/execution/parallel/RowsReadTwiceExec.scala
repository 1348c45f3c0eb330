package org.slidewise.spark.execution.parallel

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

/**
 * Rows that cost less to read twice than to shuffle: first their columns that a window aggregates, then all rows, to which the
 * window adds its results.
 *
 * @param left
 *   only the columns that are aggregated
 * @param right
 *   the rows
 */
case class RowsReadTwiceExec(left: SparkPlan, right: SparkPlan) extends BinaryExecNode {
  override def nodeName: String = "RowsReadTwice"
  @transient override lazy val output: Seq[Attribute] = right.output
  @transient override lazy val outputPartitioning: Partitioning = right.outputPartitioning
  @transient override lazy val outputOrdering: Seq[SortOrder] = right.outputOrdering

  override protected def doExecute(): RDD[InternalRow] = right.execute()

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): RowsReadTwiceExec =
    copy(newLeft, newRight)
}
