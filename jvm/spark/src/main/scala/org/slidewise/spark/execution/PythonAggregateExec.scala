package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.python._
import org.slidewise.spark.plan.PythonAggregate

/**
 * Evaluates aggregators that are written in Python. Returns a partial buffer for each group of a task's rows, or merges the
 * buffers of each group into its results. The input is sorted by group.
 *
 * @param grouping
 *   the grouping expressions
 * @param results
 *   the buffer or the result of each function
 * @param isPartial
 *   whether the operator returns buffers; if not, the last columns of the child are the buffers to merge
 */
case class PythonAggregateExec(
    grouping: Seq[NamedExpression],
    functions: Seq[PythonAggregate],
    results: Seq[Attribute],
    isPartial: Boolean,
    child: SparkPlan
) extends UnaryExecNode {

  override def nodeName: String = if (isPartial) "PythonPartialAggregate" else "PythonFinalAggregate"

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](functions.map(_.method).distinct, grouping, functions.map(_.function))

  override def output: Seq[Attribute] = grouping.map(_.toAttribute) ++ results

  override def producedAttributes: AttributeSet = AttributeSet(output) -- child.outputSet

  override def requiredChildDistribution: Seq[Distribution] =
    if (isPartial) Seq(UnspecifiedDistribution)
    else if (grouping.isEmpty) Seq(AllTuples)
    else Seq(ClusteredDistribution(grouping))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq(grouping.map(SortOrder(_, Ascending)))

  @transient override lazy val outputPartitioning: Partitioning =
    if (isPartial) UnknownPartitioning(child.outputPartitioning.numPartitions) else child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = grouping.map(g => SortOrder(g.toAttribute, Ascending))

  override lazy val metrics: Map[String, SQLMetric] = PythonEvaluation.metrics(sparkContext)

  override protected def doExecute(): RDD[InternalRow] = {
    val isOneGroup = !isPartial && grouping.isEmpty
    val number = AttributeReference("group", LongType, nullable = false)()
    val python = PythonEvaluation.of(
      if (isPartial) "partial" else "final",
      functions,
      Seq(number),
      if (isPartial) PythonInputs.of(functions)
      else PythonInputs.buffers(child.output.takeRight(functions.size)),
      number +: results,
      conf,
      metrics
    )((operator, _) => operator.put("isOneGroup", isOneGroup))
    val groups = new GroupsForPython(grouping, child.output, number, results, python)
    child.execute().mapPartitions { rows =>
      if (rows.isEmpty && !isOneGroup) Iterator.empty else groups.evaluate(rows, TaskContext.get())
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): PythonAggregateExec =
    copy(child = newChild)
}
