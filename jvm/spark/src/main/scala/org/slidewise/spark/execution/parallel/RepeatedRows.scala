package org.slidewise.spark.execution.parallel

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning, RangePartitioning}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive._
import org.apache.spark.sql.execution.aggregate.{BaseAggregateExec, UpdatingSessionsExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.python.EvalPythonExec
import org.apache.spark.sql.execution.window.{WindowExecBase, WindowGroupLimitExec}

import org.slidewise.spark.execution._
import org.slidewise.spark.shims.SparkCollations

/**
 * How the rows of a task differ when it runs again.
 *
 * @param columns
 *   how each column may differ, by its place in a row
 * @param sameOrder
 *   whether they come in the same order
 */
final private[parallel] case class RepeatedRows(columns: Seq[Variation], sameOrder: Boolean) {

  /** Those of `input`, one attribute for each column, that are the same to the bit. */
  def same(input: Seq[Attribute]): Seq[Attribute] =
    input.zip(columns).collect { case (attribute, Variation.NONE) => attribute }

  /** How expressions over these attributes may differ. */
  def variations(input: Seq[Attribute]): Variations = new Variations(input.map(_.exprId).zip(columns).toMap)
}

/**
 * Tells from a plan what a task returns when it runs again. Below a shuffle, rows may come in another order, and what Spark says of
 * an RDD does not tell what follows: the digits of a `sum` of floating-point numbers, the row that `first`, `row_number` or LIMIT
 * chooses, and generated numbers depend on it.
 *
 * A user's function of one row is taken for a function of its arguments, as Spark takes it.
 */
private[parallel] object RepeatedRows extends Logging {

  /**
   * None if the rows may be others, or if it is not known.
   *
   * @param rdd
   *   of the plan
   */
  def of(plan: SparkPlan, rdd: RDD[_]): Option[RepeatedRows] = {
    val determinism = Determinism.of(rdd)
    val found =
      try if (determinism == Determinism.NONE) None else rows(plan)
      catch {
        case e @ (_: LinkageError | NonFatal(_)) =>
          logWarning(s"One task evaluates a window, since its input could not be analysed: $e")
          None
      }
    found.map { rows =>
      RepeatedRows(
        plan.output.map(column => rows.varying.getOrElse(column.exprId, Variation.NONE)),
        rows.sameOrder && determinism == Determinism.SAME_ORDER
      )
    }
  }

  private type Varying = Map[ExprId, Variation]
  private val NoneVaries: Varying = Map.empty

  /**
   * @param varying
   *   how columns may differ; not at all if not named
   */
  private case class Rows(varying: Varying, sameOrder: Boolean)

  private def same(order: Boolean): Option[Rows] = Some(Rows(NoneVaries, order))

  private def rows(plan: SparkPlan): Option[Rows] = plan match {
    case stage: QueryStageExec           => renamed(stage.plan, stage.output)
    case adaptive: AdaptiveSparkPlanExec => renamed(adaptive.executedPlan, adaptive.output)
    case ReusedExchangeExec(output, of)  => renamed(of, output)
    case scan: InMemoryTableScanExec     => renamed(scan.relation.cachedPlan, scan.relation.output)
    case scan: RDDScanExec               => ofRdd(scan.inputRDD, scan.output)
    case scan: ExternalRDDScanExec[_]    => ofRdd(scan.rdd, scan.output)
    // A database returns rows in any order.
    case _: RowDataSourceScanExec => same(order = false)
    // Recursion, whose plans are within.
    case _: LeafExecNode if plan.nodeName.startsWith("UnionLoop") => None
    case _: LeafExecNode                                          => same(order = true)
    // Sent once.
    case _: BroadcastExchangeLike => same(order = true)
    case union: UnionExec         => all(union.children.map(renamed(_, union.output)))
    case _                        => all(plan.children.map(rows)).flatMap(above(plan, _))
  }

  /** Plans of Spark may be behind an RDD. */
  private def ofRdd(rdd: RDD[_], output: Seq[Attribute]): Option[Rows] =
    if (rdd.isCheckpointed) same(order = true)
    else
      Determinism.of(rdd) match {
        case Determinism.SAME_ORDER => same(order = true)
        case Determinism.SAME_ROWS  => Some(Rows(allOf(output), sameOrder = false))
        case Determinism.NONE       => None
      }

  private def allOf(output: Seq[Attribute]): Varying = output.map(_.exprId -> Variation.VALUE).toMap

  /** Those of a plan whose attributes are called `output`. */
  private def renamed(plan: SparkPlan, output: Seq[Attribute]): Option[Rows] =
    rows(plan).map { found =>
      val outer = plan.output.zip(output).flatMap { case (inner, name) =>
        found.varying.get(inner.exprId).map(name.exprId -> _)
      }
      found.copy(varying = outer.toMap)
    }

  private def all(inputs: Seq[Option[Rows]]): Option[Rows] =
    inputs.foldLeft(same(order = true)) { (sum, input) =>
      for (a <- sum; b <- input) yield Rows(merged(a.varying, b.varying), a.sameOrder && b.sameOrder)
    }

  private def merged(a: Varying, b: Varying): Varying =
    b.foldLeft(a) { case (sum, (column, how)) =>
      sum.updated(column, Variation.max(how, sum.getOrElse(column, Variation.NONE)))
    }

  private def above(plan: SparkPlan, below: Rows): Option[Rows] = plan match {
    // The blocks of runs are read in order, and a window that several tasks share leaves ties in theirs.
    case _: RunsExchangeExec                                                          => Some(below)
    case window: SlidingWindowExec if below.sameOrder && window.plan.parallel.isRight => Some(below)
    // Their memory may run out in one of two attempts, which changes the order.
    case _: BaseAggregateExec | _: SortExec | _: SortMergeJoinExec | _: WindowExecBase |
        _: SlidingWindowExec | _: HoppingWindowExec =>
      outOfOrder(plan, below.varying)
    case _ if below.sameOrder && !plan.isInstanceOf[ShuffleExchangeLike] => Some(below)
    case _                                                               => outOfOrder(plan, below.varying)
  }

  private def outOfOrder(plan: SparkPlan, below: Varying): Option[Rows] = {
    val by = new Variations(below)
    val varying = plan match {
      case exchange: ShuffleExchangeLike =>
        decided(below, staysInPartition(exchange.outputPartitioning, exchange.child.output, by))
      case project: ProjectExec         => Some(named(project.projectList, by))
      case window: WindowExecBase       => Some(below ++ named(window.windowExpression, by))
      case window: SlidingWindowExec    => Some(below ++ named(window.windowExpression, by))
      case aggregate: BaseAggregateExec => ofAggregate(aggregate, below)
      case hopping: HoppingWindowExec   => ofHopping(hopping, below)
      case expand: ExpandExec           =>
        val columns = expand.projections.map(_.map(by.of)).transpose.map(Variations.most)
        Some(varyingOf(expand.output.zip(columns)))
      case python: EvalPythonExec => Some(below ++ varyingOf(python.resultAttrs.zip(python.udfs.map(by.of))))
      case _: DeserializeToObjectExec | _: MapElementsExec | _: SerializeFromObjectExec |
          _: AppendColumnsExec =>
        Some(if (below.isEmpty) below else allOf(plan.output))
      case generate: GenerateExec      => decided(below, by.areSame(Seq(generate.generator)))
      case filter: FilterExec          => decided(below, by.areSame(Seq(filter.condition)))
      case join: BaseJoinExec          => decided(below, by.areSame(join.expressions))
      case limit: WindowGroupLimitExec =>
        decided(below, keepsPeers(limit.rankLikeFunction) && by.areSame(limit.expressions))
      case sessions: UpdatingSessionsExec => decided(below, by.areSame(sessions.expressions))
      case top: WindowTopRowsExec         =>
        decided(below, keepsPeers(top.rankLikeFunction) && by.areSame(top.expressions))
      case _ if isNeutral(plan) => Some(below)
      // One that chooses or makes rows, or of another engine.
      case _ => None
    }
    varying.map(Rows(_, sameOrder = false))
  }

  private def isNeutral(plan: SparkPlan): Boolean = plan match {
    case _: SortExec | _: CoalesceExec | _: InputAdapter | _: WholeStageCodegenExec | _: AQEShuffleReadExec =>
      true
    case _: ColumnarToRowTransition | _: RowToColumnarTransition | _: CollectMetricsExec => true
    case _                                                                               => false
  }

  /** Rows on which columns decide that may differ may be others. */
  private def decided(below: Varying, bySameColumns: Boolean): Option[Varying] =
    if (bySameColumns) Some(below) else None

  private def keepsPeers(function: Expression): Boolean = function match {
    case _: Rank | _: DenseRank => true
    case _                      => false
  }

  // Rows that are spread evenly are sorted by the hash of their content first.
  private def staysInPartition(to: Partitioning, content: Seq[Attribute], by: Variations): Boolean =
    to match {
      case HashPartitioning(keys, _)   => by.areSame(keys)
      case RangePartitioning(order, _) => by.areSame(order.map(_.child))
      case other                       => other.numPartitions == 1 || by.areSame(content)
    }

  private def varyingOf(columns: Seq[(Attribute, Variation)]): Varying =
    columns.collect { case (attribute, how) if how != Variation.NONE => attribute.exprId -> how }.toMap

  private def named(expressions: Seq[NamedExpression], by: Variations): Varying =
    varyingOf(expressions.map(expression => expression.toAttribute -> by.of(expression)))

  private def ofAggregate(aggregate: BaseAggregateExec, below: Varying): Option[Varying] = {
    val keys = aggregate.groupingExpressions
    if (!new Variations(below).areSame(keys)) None
    else {
      // One of several values that are equal.
      val chosen = keys.map(_.toAttribute).filterNot(key => SparkCollations.isBinaryStable(key.dataType))
      val results = ofCalls(aggregate.aggregateExpressions, aggregate.aggregateAttributes, below)
      Some(named(aggregate.resultExpressions, new Variations(merged(results, allOf(chosen)))))
    }
  }

  private def ofHopping(hopping: HoppingWindowExec, below: Varying): Option[Varying] = {
    val keys = hopping.keys :+ hopping.plan.pane
    val results = ofCalls(hopping.aggregateExpressions, hopping.plan.answers, below)
    val by = new Variations(merged(below, results))
    if (by.areSame(keys ++ hopping.condition)) Some(named(hopping.resultExpressions, by)) else None
  }

  /** The results of aggregates, and their buffers. */
  private def ofCalls(calls: Seq[AggregateExpression], results: Seq[Attribute], below: Varying): Varying = {
    val by = new Variations(below)
    val found = calls.map(by.ofCall)
    val buffers = calls.zip(found).flatMap { case (call, how) =>
      val function = call.aggregateFunction
      (function.aggBufferAttributes ++ function.inputAggBufferAttributes).map(_ -> how)
    }
    merged(varyingOf(buffers), varyingOf(results.zip(found)))
  }
}
