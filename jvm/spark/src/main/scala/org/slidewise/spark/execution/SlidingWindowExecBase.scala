package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.execution.{SparkPlan, SQLExecution, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.columns.RowBatches
import org.slidewise.spark.execution.exchange.BatchesIn
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.{SlidingWindowPlan, SortPlacement}

/**
 * Evaluates ranks, offsets and aggregates over any frames, and returns each input row with the results of its window functions.
 *
 * Does not extend `WindowExecBase`, because Spark's rules assume that its operators keep the order of their input.
 */
abstract class SlidingWindowExecBase extends UnaryExecNode with BatchesIn {

  def plan: SlidingWindowPlan

  /** The window expressions of `plan`, where Spark's rules look for them. */
  def windowExpression: Seq[NamedExpression]
  def partitionSpec: Seq[Expression]
  def orderSpec: Seq[SortOrder]

  /** Whether Spark's operator evaluates the rows. Known once the children are planned. */
  def evaluatesAsSpark: Boolean = false

  /** A note on the tasks that evaluate the rows, for `slidewise.explain`; none if there is one for each partition key. */
  def tasksNote: Option[String]

  // Computed once, like the other members that read the child. Spark reads the output of each operator of a chain, and planning
  // the chain must take linear time.
  @transient override lazy val output: Seq[Attribute] = child.output ++ windowExpression.map(_.toAttribute)

  override protected def readInBatches: Seq[SparkPlan] = Nil

  override lazy val metrics: Map[String, SQLMetric] = WindowMetrics.create(sparkContext)

  final protected def requiredOrder: Seq[SortOrder] =
    partitionSpec.map(SortOrder(_, Ascending)) ++ orderSpec

  /** The order of the rows if the operator sorts them. An operator above may rely on more of it than the windows need. */
  final protected def sortedOrder: Seq[SortOrder] = requiredOrder ++ plan.sortOrder.drop(orderSpec.size)

  /** Whether the operator accepts unsorted rows, and `ordering` does not satisfy the order `needed`. */
  final protected def sorts(ordering: Seq[SortOrder], needed: Seq[SortOrder]): Boolean =
    plan.sortPlacement != SortPlacement.BelowOperator && !SortOrder.orderingSatisfies(ordering, needed)

  /** Whether Spark's operator is as fast as any other: the rows come in order, and Spark reads each row once. */
  final protected def isAsFastInSpark(sorts: Boolean): Boolean = !sorts && plan.constantInSpark

  /** Evaluates each partition of `rows` in one task. The task sorts the rows, or groups them by key, if `sorts` is true. */
  final protected def evaluate(rows: SparkPlan, sorts: Boolean): RDD[InternalRow] =
    if (isAsFastInSpark(sorts)) evaluateAsSpark(rows)
    else {
      val evaluation = WindowEvaluation.of(plan, rows.output, sorts)
      val taskMetrics = metrics
      rowsIn(rows).mapPartitions { found =>
        if (found.isEmpty) Iterator.empty
        else evaluation.evaluate(found, new WindowTask(TaskContext.get(), taskMetrics))
      }
    }

  /** Evaluates each partition of `rows` as [[evaluate]] does, and returns batches. */
  final protected def evaluateBatches(rows: SparkPlan, sorts: Boolean): RDD[ColumnarBatch] = {
    val types = output.map(_.dataType)
    if (isAsFastInSpark(sorts)) evaluateAsSpark(rows).mapPartitions(new RowBatches(_, types))
    else {
      val evaluation = WindowEvaluation.of(plan, rows.output, sorts)
      val taskMetrics = metrics
      rowsIn(rows).mapPartitions { found =>
        if (found.isEmpty) Iterator.empty
        else evaluation.evaluateBatches(found, new WindowTask(TaskContext.get(), taskMetrics), types)
      }
    }
  }

  private def evaluateAsSpark(rows: SparkPlan): RDD[InternalRow] = {
    val counted = longMetric(WindowMetrics.Rows)
    WindowExec(windowExpression, partitionSpec, orderSpec, rows).execute().mapPartitions { rows =>
      rows.map { row =>
        counted += 1
        row
      }
    }
  }

  /**
   * Whether a user reads the rows as an RDD. Barrier stages and functions such as `mapPartitions` then depend on Spark's
   * partitions. Spark runs any other query in a SQL execution, which has an identifier. An RDD in a function of `foreachBatch` has
   * that of the stream's batch, whose query does not have this window.
   */
  final protected def isForRdd: Boolean =
    Option(sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)).forall { id =>
      val running = SQLExecution.getQueryExecution(id.toLong)
      running != null && running.analyzed.isStreaming && !evaluates(running.optimizedPlan)
    }

  private def evaluates(query: LogicalPlan): Boolean = {
    val own = windowExpression.map(_.exprId).toSet
    query
      .collectWithSubqueries { case window: Window => window.windowExpressions }
      .flatten
      .exists(e => own(e.exprId))
  }

  /** The arguments in EXPLAIN: the expressions, then `notes`. */
  final protected def arguments(notes: Seq[String]): Iterator[Any] =
    Iterator[Any](plan.methods, windowExpression, partitionSpec, orderSpec) ++ notes ++
      (if (plan.fallback.isEmpty || evaluatesAsSpark) None
       else Some(plan.fallback.mkString("falls back to ", ", ", "")))
}
