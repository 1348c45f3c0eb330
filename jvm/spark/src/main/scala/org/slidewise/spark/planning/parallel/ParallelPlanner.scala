package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{PlanLater, SparkPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.execution.parallel._
import org.slidewise.spark.plan._
import org.slidewise.spark.planning.{JoinTaskPlanner, TaskPlanner, WindowDecision, WindowPlanner}

/** Decides whether several tasks share the rows of a window without PARTITION BY, or of a window join without keys. */
private[spark] object ParallelPlanner extends TaskPlanner with JoinTaskPlanner {

  /**
   * The least number of tasks whose row-wise evaluation is faster than one task with array kernels. In measurements, two tasks take
   * 1.6 times as long.
   */
  private val FewestRowByRow = 4

  override def decide(
      conf: SQLConf,
      window: LogicalPlan,
      planned: (ArrayFunction => Boolean) => WindowPlan
  ): WindowDecision = {
    lazy val ofOneTask = planned(_ => true)
    def inOneTask(reason: String) =
      WindowDecision(ofOneTask.copy(operator = ofOneTask.operator.map(_.copy(oneTask = Some(reason)))))
    reasonNot(conf, window).fold {
      val plan = planned(AcrossTasks.inArrays(_).isEmpty)
      reasonNot(conf, plan)
        .orElse(reasonForArrays(conf, plan, ofOneTask))
        .fold {
          WindowDecision(
            plan,
            (operator, rows) =>
              RowsToReadTwice.first(conf, operator, window.children.head) match {
                case Some(first) =>
                  val once = RowsToReadTwice.once(operator, window.children.head)
                  TwiceReadWindowExec(operator, once, PlanLater(first), rows)
                case None =>
                  val aggregatesRuns = operator.isWholeTable || UnboundedFunctions.of(operator).areSmall
                  ParallelWindowExec.over(
                    rows,
                    operator,
                    limits(conf).copy(aggregatesRuns = aggregatesRuns)
                  )
              }
          )
        }(inOneTask)
    }(inOneTask)
  }

  /**
   * The reason why several tasks are slower than one: they evaluate functions row by row that one task evaluates in array kernels.
   * None if several tasks are not slower.
   */
  private def reasonForArrays(conf: SQLConf, shared: WindowPlan, ofOneTask: => WindowPlan): Option[String] = {
    val tasks = limits(conf).maxTasks
    def inArrays(plan: WindowPlan) =
      plan.operator.forall(operator => operator.rowWise.isEmpty || operator.isWholeTable)
    if (tasks < FewestRowByRow && inArrays(ofOneTask) && !inArrays(shared))
      Some(s"in arrays, one task is faster than $tasks row by row")
    else None
  }

  /** The reason why one task must evaluate each partition, for a person to read; none if several tasks can share it. */
  def reasonNot(conf: SQLConf, plan: WindowPlan): Option[String] =
    if (plan.bySpark.nonEmpty) Some("Spark's operator evaluates other functions of the window, in one task")
    else plan.operator.flatMap(reasonNot(conf, _))

  /**
   * The plan of a window with PARTITION BY for several tasks that share its partitions; none if one task must evaluate each
   * partition.
   */
  def acrossTasks(conf: SQLConf, window: SlidingWindowExec): Option[SlidingWindowPlan] = {
    val planner = new WindowPlanner(
      conf,
      window.partitionSpec,
      window.orderSpec,
      window.plan.sortOrder,
      mayUseArrays = AcrossTasks.inArrays(_).isEmpty
    )
    val planned = planner.plan(window.windowExpression)
    planned.operator.filter(_ => reasonNot(conf, planned).isEmpty)
  }

  override def shared(
      conf: SQLConf,
      join: WindowJoin,
      plan: WindowJoinPlan,
      left: SparkPlan,
      right: SparkPlan
  ): Option[SparkPlan] = {
    def areFew = join.children
      .map(InputRows.of)
      .reduce((a, b) => for (x <- a; y <- b) yield x + y)
      .exists(_ / 2 < SlidewiseSettings.parallelMinRows(conf))
    if (SlidewiseSettings.parallel(conf) && !areFew && reasonNot(plan).isEmpty)
      Some(ParallelJoinExec.over(left, right, plan, limits(conf)))
    else None
  }

  /** The limits for the tasks that share a window. */
  def limits(conf: SQLConf): ParallelPlan =
    ParallelPlan(SlidewiseSettings.parallelMinRows(conf), math.max(1, conf.numShufflePartitions))

  private def reasonNot(conf: SQLConf, window: LogicalPlan): Option[String] =
    if (!SlidewiseSettings.parallel(conf)) Some(s"${SlidewiseSettings.Parallel} is false")
    else if (RowsToReadTwice.areReadOnce(window))
      Some("merging partial aggregates might give other results than Spark")
    else
      InputRows
        .most(window)
        .filter(_ / 2 < SlidewiseSettings.parallelMinRows(conf))
        .map(_ => OneTask.FewRows)
        .orElse(if (PlacesAbove.of(window)) Some(PlacesAbove.Reason) else None)

  private def reasonNot(conf: SQLConf, operator: SlidingWindowPlan): Option[String] =
    if (operator.sortPlacement != SortPlacement.InOperator) Some("Spark sorts the rows")
    else if (FrameReach.of(operator).bounds.exists(mayWrap(conf, _)))
      Some("a bound of a RANGE frame over whole numbers or dates may wrap around")
    else AcrossTasks.reasonNot(operator)

  /** The reason why one task must evaluate each key of a join, for a person to read; none if several tasks can share it. */
  def reasonNot(join: WindowJoinPlan): Option[String] =
    if (!join.sorts) Some("Spark sorts the rows")
    else if (join.times.nonEmpty && join.readsUnbounded)
      Some("a row that stands for several has a frame without a limit on one side")
    else AcrossTasks.reasonNot(join.window)

  private def mayWrap(conf: SQLConf, bound: Frame.KeyBound): Boolean = bound.order.child.dataType match {
    case ByteType | ShortType | IntegerType | LongType => !conf.ansiEnabled
    // Spark adds days to dates without a check, in ANSI mode, too.
    case DateType =>
      bound.offset.eval() match {
        case days: Int => math.abs(days.toLong) > MostDays
        case _         => false
      }
    case _ => false
  }

  /** So many days from any date of Spark, from year 1 to 9999, do not wrap around. */
  private val MostDays = 1L << 30
}
