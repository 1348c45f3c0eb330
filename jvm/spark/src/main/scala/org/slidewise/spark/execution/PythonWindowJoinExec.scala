package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.python.{JoinForPython, PythonEvaluation, PythonInputs}
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.PythonJoinPlan

/**
 * Evaluates aggregators that are written in Python over right rows for each left row. Same required distribution as
 * [[WindowJoinExec]]; both sides come sorted.
 *
 * Each right row in a frame is sent to Python once, and again if an end of a frame moves back.
 *
 * @param calls
 *   the windows of `plan`, followed by its row counts. This and the next three parameters repeat parts of `plan`, so that Spark's
 *   rules find them
 */
case class PythonWindowJoinExec(
    plan: PythonJoinPlan,
    calls: Seq[NamedExpression],
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftOrder: Seq[SortOrder],
    left: SparkPlan,
    right: SparkPlan
) extends KeyedJoinExec {

  override def nodeName: String = "PythonWindowJoin"

  private def functions = calls.take(plan.window.frameOf.size)
  private def counts = calls.drop(plan.window.frameOf.size)

  @transient override lazy val output: Seq[Attribute] =
    left.output ++ (counts ++ functions).map(_.toAttribute)
  override def producedAttributes: AttributeSet = AttributeSet(calls.map(_.toAttribute))

  override lazy val metrics: Map[String, SQLMetric] =
    WindowMetrics.rowByRow(sparkContext) ++ PythonEvaluation.metrics(sparkContext)

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(ascending(leftKeys) ++ leftOrder, ascending(rightKeys) :+ plan.rightOrder)

  @transient override lazy val outputOrdering: Seq[SortOrder] = left.outputOrdering

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](plan.window.methods, leftKeys, rightKeys, calls)

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  override protected def doCanonicalize(): SparkPlan = {
    def normalized[E <: Expression](e: E, input: Seq[Attribute]) = QueryPlan.normalizeExpressions(e, input)
    super
      .doCanonicalize()
      .asInstanceOf[PythonWindowJoinExec]
      .copy(plan =
        plan.copy(
          window = plan.window.copy(expressions = Nil, functions = Nil, frames = Nil),
          leftKeys = Nil,
          rightKeys = Nil,
          leftOrder = Nil,
          rightOrder = normalized(plan.rightOrder, right.output),
          times = plan.times.map(normalized(_, left.output))
        )
      )
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val results = functions.map(_.toAttribute)
    val ends = plan.window.frames.flatMap(_ => Seq("lo", "hi")).map(AttributeReference(_, LongType)())
    val python = PythonEvaluation.of(
      "join",
      plan.window.functions,
      ends,
      PythonInputs.of(plan.window.functions),
      results,
      conf,
      metrics
    ) { (_, functions) =>
      functions.zip(plan.window.frameOf).foreach { case (function, frame) =>
        function.put("frame", frame)
        function.put("grows", plan.window.frames(frame).isGrowing)
      }
    }
    val join =
      new JoinForPython(plan, left.output, right.output, results, python, conf.sessionLocalTimeZone)
    val taskMetrics = metrics
    left.execute().zipPartitions(right.execute()) { (leftRows, rightRows) =>
      if (leftRows.isEmpty) Iterator.empty
      else join.evaluate(leftRows, rightRows, new WindowTask(TaskContext.get(), taskMetrics))
    }
  }

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): PythonWindowJoinExec = copy(left = newLeft, right = newRight)
}

object PythonWindowJoinExec {

  /**
   * @param counts
   *   the window expressions that count the rows of a frame
   */
  def apply(
      plan: PythonJoinPlan,
      counts: Seq[NamedExpression],
      left: SparkPlan,
      right: SparkPlan
  ): PythonWindowJoinExec =
    PythonWindowJoinExec(
      plan,
      plan.window.expressions.map(_.expression) ++ counts,
      plan.leftKeys,
      plan.rightKeys,
      plan.leftOrder,
      left,
      right
    )
}
