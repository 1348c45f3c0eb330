package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning, RangePartitioning}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanExec, QueryStageExec}
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.joins.BaseJoinExec
import org.apache.spark.sql.execution.python.EvalPythonExec
import org.apache.spark.sql.execution.window.WindowExec

import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.shims.SparkCollations

/**
 * The columns of a plan whose values are the same, bit for bit, when a task runs again. Below a shuffle, rows may then come in
 * another order, and what Spark says of an RDD does not tell what follows: the digits of a `sum` of floating-point numbers, the row
 * that `first` or `row_number` chooses, and generated numbers depend on it.
 *
 * A user's function of one row is taken for a function of its arguments, as Spark takes it.
 */
private[parallel] object RepeatableColumns {

  /** None if the rows themselves may be others. */
  def of(plan: SparkPlan): Option[AttributeSet] =
    rows(plan).map(found => AttributeSet(plan.output.filterNot(found.varying.contains)))

  /**
   * @param varying
   *   the attributes that may differ
   * @param sameOrder
   *   whether rows come in the same order, so that nothing may differ
   */
  private case class Rows(varying: AttributeSet, sameOrder: Boolean)

  private val Same = Some(Rows(AttributeSet.empty, sameOrder = true))

  /** None if the rows may be others. */
  private def rows(plan: SparkPlan): Option[Rows] = plan match {
    case stage: QueryStageExec           => renamed(stage.plan, stage.output)
    case adaptive: AdaptiveSparkPlanExec => renamed(adaptive.executedPlan, adaptive.output)
    case ReusedExchangeExec(output, of)  => renamed(of, output)
    case scan: InMemoryTableScanExec     => renamed(scan.relation.cachedPlan, scan.relation.output)
    case scan: RDDScanExec               => ofInput(scan)
    case _: LeafExecNode                 => Same
    // Sent once.
    case _: BroadcastExchangeLike => Same
    case union: UnionExec         => all(union.children.map(renamed(_, union.output)))
    case _                        => all(plan.children.map(rows)).flatMap(above(plan, _))
  }

  private def ofInput(scan: RDDScanExec): Option[Rows] = Determinism.of(scan.inputRDD) match {
    case Determinism.SAME_ORDER => Same
    case Determinism.SAME_ROWS  => Some(Rows(AttributeSet.empty, sameOrder = false))
    case Determinism.NONE       => None
  }

  /** Those of a plan whose attributes are called `output`. */
  private def renamed(plan: SparkPlan, output: Seq[Attribute]): Option[Rows] =
    rows(plan).map { found =>
      val outer =
        plan.output.zip(output).collect { case (inner, name) if found.varying.contains(inner) => name }
      found.copy(varying = AttributeSet(outer))
    }

  private def all(inputs: Seq[Option[Rows]]): Option[Rows] =
    inputs.foldLeft(Option(Rows(AttributeSet.empty, sameOrder = true))) { (sum, input) =>
      for (a <- sum; b <- input) yield Rows(a.varying ++ b.varying, a.sameOrder && b.sameOrder)
    }

  private def above(plan: SparkPlan, below: Rows): Option[Rows] = plan match {
    case exchange: ShuffleExchangeLike =>
      if (moves(exchange, below.varying)) None else Some(below.copy(sameOrder = false))
    case _ if below.sameOrder => Some(below)
    case _                    => outOfOrder(plan, below.varying).map(Rows(_, sameOrder = false))
  }

  private def moves(exchange: ShuffleExchangeLike, below: AttributeSet): Boolean =
    exchange match {
      // Rows whose keys may differ are read by one task.
      case _: RunsExchangeExec => false
      case _                   => moves(exchange.outputPartitioning, below)
    }

  // Rows that are spread evenly are sorted by the hash of their content first.
  private def moves(partitioning: Partitioning, below: AttributeSet): Boolean = partitioning match {
    case HashPartitioning(keys, _)   => keys.exists(varies(_, below))
    case RangePartitioning(order, _) => order.exists(varies(_, below))
    case other                       => other.numPartitions > 1 && below.nonEmpty
  }

  /**
   * The attributes that may differ above rows in any order; none if rows may.
   *
   * @param below
   *   the attributes of the children that may differ
   */
  private def outOfOrder(plan: SparkPlan, below: AttributeSet): Option[AttributeSet] = plan match {
    case project: ProjectExec         => Some(columns(project.projectList, below))
    case window: WindowExec           => Some(below ++ columns(window.windowExpression, below))
    case window: SlidingWindowExec    => Some(below ++ columns(window.windowExpression, below))
    case aggregate: BaseAggregateExec => ofAggregate(aggregate, below)
    case expand: ExpandExec           =>
      val differ = expand.projections.map(_.map(varies(_, below))).transpose.map(_.contains(true))
      Some(AttributeSet(expand.output.zip(differ).collect { case (attribute, true) => attribute }))
    case python: EvalPythonExec =>
      val differ = python.udfs.map(varies(_, below))
      Some(below ++ AttributeSet(python.resultAttrs.zip(differ).collect { case (result, true) => result }))
    case _: DeserializeToObjectExec | _: MapElementsExec | _: SerializeFromObjectExec =>
      Some(if (below.isEmpty) below else plan.outputSet)
    case generate: GenerateExec                      => decided(Seq(generate.generator), below)
    case filter: FilterExec                          => decided(Seq(filter.condition), below)
    case join: BaseJoinExec                          => decided(join.expressions, below)
    case _: SortExec                                 => Some(below)
    case _: LimitExec | _: TakeOrderedAndProjectExec => None
    case _                                           =>
      // An operator of another engine, or one whose columns depend on all rows.
      val inputs = plan.children.map(_.outputSet).foldLeft(AttributeSet.empty)(_ ++ _)
      decided(plan.expressions, below).map(_ ++ (plan.outputSet -- inputs))
  }

  /** Rows that expressions decide on. */
  private def decided(by: Seq[Expression], below: AttributeSet): Option[AttributeSet] =
    if (by.exists(varies(_, below))) None else Some(below)

  private def columns(expressions: Seq[NamedExpression], below: AttributeSet): AttributeSet =
    AttributeSet(expressions.filter(varies(_, below)).map(_.toAttribute))

  private def ofAggregate(aggregate: BaseAggregateExec, below: AttributeSet): Option[AttributeSet] = {
    val keys = aggregate.groupingExpressions
    if (keys.exists(varies(_, below))) None
    else {
      val differ = aggregate.aggregateExpressions.map { call =>
        varies(call, below) || call.aggregateFunction.inputAggBufferAttributes.exists(below.contains)
      }
      val functions = aggregate.aggregateExpressions.map(_.aggregateFunction)
      val buffers = functions.zip(differ).collect { case (function, true) =>
        function.aggBufferAttributes ++ function.inputAggBufferAttributes
      }
      val results = aggregate.aggregateAttributes.zip(differ).collect { case (result, true) => result }
      // One of several values that are equal.
      val chosen = keys.map(_.toAttribute).filterNot(key => SparkCollations.isBinaryStable(key.dataType))
      Some(columns(aggregate.resultExpressions, AttributeSet(buffers.flatten ++ results ++ chosen)))
    }
  }

  private def varies(expression: Expression, below: AttributeSet): Boolean =
    !OrderDependence.isFree(expression) || expression.references.exists(below.contains)
}
