package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, NamedExpression, SortOrder}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.window.WindowExecBase
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.python._
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.PythonWindowPlan

/**
 * Evaluates aggregators that are written in Python over any frames, and returns each input row with the results of its window
 * functions. Same required distribution and ordering as `WindowExec`.
 *
 * The rows travel to Python once, with the numbers of the first and last rows of their frames.
 *
 * @param windowExpression
 *   the window expressions of `plan`, where Spark's rules look for them
 */
case class PythonSlidingWindowExec(
    plan: PythonWindowPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan
) extends WindowExecBase {

  override lazy val metrics: Map[String, SQLMetric] =
    WindowMetrics.rowByRow(sparkContext) ++ PythonEvaluation.metrics(sparkContext)

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](plan.methods, windowExpression, partitionSpec, orderSpec)

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  override protected def doCanonicalize(): SparkPlan =
    super.doCanonicalize().asInstanceOf[PythonSlidingWindowExec].copy(plan = PythonSlidingWindowExec.NoPlan)

  override protected def doExecute(): RDD[InternalRow] = {
    val results = windowExpression.map(_.toAttribute)
    val ends =
      plan.frames.flatMap(_ => Seq("lo", "hi")).map(AttributeReference(_, LongType, nullable = false)())
    val python = PythonEvaluation.of(
      "over",
      plan.functions,
      ends,
      PythonInputs.of(plan.functions),
      results,
      conf,
      metrics
    ) { (_, functions) =>
      functions.zip(plan.frameOf).foreach { case (function, frame) =>
        function.put("frame", frame)
        function.put("grows", plan.frames(frame).isGrowing)
      }
    }
    val frames = new FramesForPython(
      plan,
      partitionSpec,
      orderSpec,
      child.output,
      results,
      python,
      conf.sessionLocalTimeZone
    )
    val taskMetrics = metrics
    child.execute().mapPartitions { rows =>
      if (rows.isEmpty) Iterator.empty
      else frames.evaluate(rows, new WindowTask(TaskContext.get(), taskMetrics))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): PythonSlidingWindowExec =
    copy(child = newChild)
}

object PythonSlidingWindowExec {
  private val NoPlan = PythonWindowPlan(Nil, Nil, Nil, Nil)

  def apply(
      plan: PythonWindowPlan,
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      child: SparkPlan
  ): PythonSlidingWindowExec =
    PythonSlidingWindowExec(plan, plan.expressions.map(_.expression), partitionSpec, orderSpec, child)
}
