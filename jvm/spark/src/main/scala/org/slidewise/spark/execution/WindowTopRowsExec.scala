package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.window.{Final, WindowGroupLimitMode}

import org.slidewise.core.selection.FirstRows
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.execution.toprows.{TopRowsMetrics, TopRowsSelection, TopRowsSpec}

/**
 * Returns the first rows of each partition of a window, and perhaps further rows, in the order of the input. Same required
 * distribution as `WindowGroupLimitExec`; no required ordering.
 *
 * @param rankLikeFunction
 *   the rank function whose limit selects the rows
 * @param first
 *   the kind of this rank function
 * @param mode
 *   `Partial` selects among the rows of a task before the shuffle, `Final` among all rows of a partition
 */
case class WindowTopRowsExec(
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    rankLikeFunction: Expression,
    first: FirstRows,
    limit: Int,
    mode: WindowGroupLimitMode,
    child: SparkPlan
) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  @transient override lazy val outputPartitioning: Partitioning = child.outputPartitioning
  @transient override lazy val outputOrdering: Seq[SortOrder] = child.outputOrdering

  override def requiredChildDistribution: Seq[Distribution] =
    if (mode == Final) Seq(ClusteredDistribution(partitionSpec)) else super.requiredChildDistribution

  override lazy val metrics: Map[String, SQLMetric] = TopRowsMetrics.create(sparkContext)

  override protected def stringArgs: Iterator[Any] =
    Iterator(partitionSpec, orderSpec, rankLikeFunction, limit, mode)

  override protected def doExecute(): RDD[InternalRow] = {
    val spec = new TopRowsSpec(partitionSpec, orderSpec, first, limit, child.output)
    val taskMetrics = metrics
    child.execute().mapPartitions { rows =>
      if (rows.isEmpty) Iterator.empty
      else {
        val context = TaskContext.get()
        val selection = new TopRowsSelection(spec, new TaskResources(context), taskMetrics)
        context.addTaskCompletionListener[Unit](_ => selection.close())
        selection.select(rows)
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): WindowTopRowsExec = copy(child = newChild)
}
