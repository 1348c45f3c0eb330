package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, ShortType}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.parallel.RunsExchangeExec
import org.slidewise.spark.plan._

/** Decides whether several tasks share the rows of a window without PARTITION BY. */
private[planning] object ParallelPlanner {

  /** The plan of a window: for several tasks if they can evaluate it, otherwise for one task a partition. */
  def plan(
      conf: SQLConf,
      window: LogicalPlan,
      child: LogicalPlan,
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      sortOrder: Seq[SortOrder],
      windows: Seq[NamedExpression]
  ): WindowPlan = {
    def planned(acrossTasks: Boolean) =
      new WindowPlanner(
        conf,
        partitionSpec,
        orderSpec,
        sortOrder,
        acrossTasks,
        keepsArrival = PartitionOrder.isOn
      ).plan(windows)
    lazy val ofOneTask = planned(acrossTasks = false)
    def inOneTask(reason: String) =
      ofOneTask.copy(operator = ofOneTask.operator.map(_.copy(parallel = Left(reason))))
    if (partitionSpec.nonEmpty) inOneTask(ParallelPlan.HasKeys)
    else
      reasonNot(conf, window).fold {
        val plan = planned(acrossTasks = true)
        reasonNot(conf, plan)
          .orElse(reasonForArrays(conf, plan, ofOneTask))
          .fold(
            plan.copy(operator = plan.operator.map { operator =>
              val aggregates = operator.isWholeTable || UnboundedFunctions.of(operator).areSmall
              operator.copy(parallel = Right(parallel(conf).copy(aggregatesRuns = aggregates)))
            })
          )(inOneTask)
      }(inOneTask)
  }

  /**
   * The reason why few tasks are slower than one: they evaluate row by row functions that one task evaluates in arrays. None if
   * they are not.
   */
  private def reasonForArrays(conf: SQLConf, shared: WindowPlan, ofOneTask: => WindowPlan): Option[String] = {
    val tasks = parallel(conf).maxTasks
    def inArrays(plan: WindowPlan) =
      plan.operator.forall(operator => operator.rowWise.isEmpty || operator.isWholeTable)
    if (tasks < ParallelPlan.FewestRowByRow && inArrays(ofOneTask) && !inArrays(shared))
      Some(s"in arrays, one task is faster than $tasks row by row")
    else None
  }

  /** The reason why one task must evaluate each partition, for a person to read; none if several tasks can share it. */
  def reasonNot(conf: SQLConf, plan: WindowPlan): Option[String] =
    if (plan.left.nonEmpty) Some("Spark's operator evaluates other functions of the window, in one task")
    else plan.operator.flatMap(reasonNot(conf, _))

  def parallel(conf: SQLConf): ParallelPlan =
    ParallelPlan(SlidewiseSettings.parallelMinRows(conf), math.max(1, conf.numShufflePartitions))

  private def reasonNot(conf: SQLConf, window: LogicalPlan): Option[String] =
    if (!SlidewiseSettings.parallel(conf)) Some(s"${SlidewiseSettings.Parallel} is false")
    else
      InputRows
        .most(window)
        .filter(_ / 2 < SlidewiseSettings.parallelMinRows(conf))
        .map(_ => ParallelPlan.FewRows)
        .orElse(if (PlacesAbove.of(window)) Some(PlacesAbove.Reason) else None)

  private def reasonNot(conf: SQLConf, operator: SlidingWindowPlan): Option[String] =
    if (operator.sortPlacement != SortPlacement.InOperator) Some("Spark sorts the rows")
    else if (!conf.ansiEnabled && boundsMayWrap(operator))
      Some("without ANSI mode, a bound of a RANGE frame over whole numbers may wrap around")
    else AcrossTasks.reasonNot(operator)

  private def boundsMayWrap(operator: SlidingWindowPlan) =
    FrameReach.of(operator).bounds.nonEmpty && (operator.orderSpec.head.child.dataType match {
      case ByteType | ShortType | IntegerType | LongType => true
      case _                                             => false
    })

  /** The rows of `child`, as the operator reads them: in runs if several tasks share them. */
  def exchange(operator: SlidingWindowPlan, child: SparkPlan): SparkPlan =
    operator.parallel.fold(_ => child, RunsExchangeExec.of(operator, _, child))
}
