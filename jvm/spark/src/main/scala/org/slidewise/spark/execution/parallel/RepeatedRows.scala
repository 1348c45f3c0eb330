package org.slidewise.spark.execution.parallel

import java.util.IdentityHashMap

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive._
import org.apache.spark.sql.execution.aggregate.{BaseAggregateExec, UpdatingSessionsExec}
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.joins._
import org.apache.spark.sql.execution.python.EvalPythonExec
import org.apache.spark.sql.execution.window.{WindowExecBase, WindowGroupLimitExec}

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{SlidingWindowPlan, Variation}
import org.slidewise.spark.shims.SparkCollations

/**
 * The rows that a task returns when it runs again, compared with its first run.
 *
 * @param columns
 *   the variation of each column, by its place in a row
 * @param sameOrder
 *   whether the rows come in the same order
 */
final private[execution] case class RepeatedRows(columns: Seq[Variation], sameOrder: Boolean) {

  /** The attributes of `input` whose columns are the same to the bit. `input` has one attribute for each column. */
  def same(input: Seq[Attribute]): Seq[Attribute] =
    input.zip(columns).collect { case (attribute, Variation.NONE) => attribute }

  /**
   * Whether the window has consistent results if some of its tasks read rows before, and others after, a task that writes these
   * rows ran again. Each row must then be there once, and the results must fit together. For this, the keys must be the same to
   * the bit, and the inputs of the functions may differ only in digits or by the order of ties.
   */
  def allow(window: SlidingWindowPlan, input: Seq[Attribute]): Boolean = {
    val by = Variations.of(input.zip(columns))
    by.areSame(RunOrder(window.partitionSpec, window.sortOrder).inRows.map(_.child)) &&
    window.expressions.flatMap(_.expression.references).forall(by.of(_) != Variation.VALUE)
  }
}

/**
 * Derives from a plan which rows a task returns when it runs again. Below a shuffle, rows may come in another order. Some results
 * depend on the order: the digits of a `sum` of floating-point numbers, the row that `first`, `row_number` or LIMIT chooses, and
 * generated numbers. The level of determinism that Spark reports for an RDD does not cover these.
 *
 * Like Spark, assumes that a user's function of one row depends only on its arguments, unless the user says that it is not
 * deterministic.
 */
private[execution] object RepeatedRows extends Logging {

  /**
   * The rows that a task of `plan` returns when it runs again, as far as the plan alone tells. None if these may be other rows,
   * or if it is not known.
   */
  def of(plan: SparkPlan, known: KnownPlans): Option[RepeatedRows] = analysed(plan, known).rows

  /**
   * Analyses a plan. Visits each of its nodes once. An operator that has run already counts as one node with all nodes below it.
   */
  def analysed(plan: SparkPlan, known: KnownPlans = new KnownPlans): OfPlan = {
    val found =
      try new Analysis(known).rows(plan)
      catch {
        case e @ (_: LinkageError | NonFatal(_)) =>
          logWarning(s"Tasks do not share a window, since its input could not be analysed: $e")
          None
      }
    new OfPlan(plan, found)
  }

  final private[parallel] class OfPlan(plan: SparkPlan, private[RepeatedRows] val found: Option[Rows]) {
    def rows: Option[RepeatedRows] =
      found.map(rows => RepeatedRows(plan.output.map(rows.varying.of), rows.sameOrder))

    /** The rows that a task returns when it runs again, given also the determinism that Spark reports for the plan's RDD. */
    def of(rdd: RDD[_]): Option[RepeatedRows] = {
      val determinism = Determinism.of(rdd)
      if (determinism == Determinism.NONE) None
      else rows.map(r => r.copy(sameOrder = r.sameOrder && determinism == Determinism.SAME_ORDER))
    }
  }

  private[parallel] case class Rows(varying: Variations, sameOrder: Boolean)

  private def same(order: Boolean): Option[Rows] = Some(Rows(Variations.Empty, order))

  /** Analyses each node once, also a node that several others read. */
  private class Analysis(known: KnownPlans) {
    def rows(plan: SparkPlan): Option[Rows] = known.rows.get(plan) match {
      case null =>
        val found = ofNode(plan)
        known.rows.put(plan, found)
        found
      case found => found
    }

    private def ofNode(plan: SparkPlan): Option[Rows] = plan match {
      case runs: RunsExchangeExec if runs.hasChildRun => runs.repeatedRows.found.flatMap(above(runs, _))
      case stage: QueryStageExec                      => renamed(stage.plan, stage.output)
      case adaptive: AdaptiveSparkPlanExec            => renamed(adaptive.executedPlan, adaptive.output)
      case ReusedExchangeExec(output, of)             => renamed(of, output)
      case scan: InMemoryTableScanExec  => renamed(scan.relation.cachedPlan, scan.relation.output)
      case RunRowsExec(output, runs)    => renamed(runs, output)
      case scan: RDDScanExec            => ofRdd(scan.inputRDD, scan.output)
      case scan: ExternalRDDScanExec[_] => ofRdd(scan.rdd, scan.output)
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

    /** The rows of `plan`, with its attributes renamed to `output`. */
    private def renamed(plan: SparkPlan, output: Seq[Attribute]): Option[Rows] =
      rows(plan).map(found => found.copy(varying = found.varying.renamed(plan.output.zip(output))))
  }

  /** The rows of an RDD. Plans of Spark may be behind it. */
  private def ofRdd(rdd: RDD[_], output: Seq[Attribute]): Option[Rows] =
    if (rdd.isCheckpointed) same(order = true)
    else
      Determinism.of(rdd) match {
        case Determinism.SAME_ORDER => same(order = true)
        case Determinism.SAME_ROWS  => Some(Rows(allOf(output), sameOrder = false))
        case Determinism.NONE       => None
      }

  private def allOf(output: Seq[Attribute]): Variations = Variations.of(output.map(_ -> Variation.VALUE))

  private def all(inputs: Seq[Option[Rows]]): Option[Rows] =
    inputs.foldLeft(same(order = true)) { (sum, input) =>
      for (a <- sum; b <- input) yield Rows(a.varying ++ b.varying, a.sameOrder && b.sameOrder)
    }

  private def above(plan: SparkPlan, below: Rows): Option[Rows] = plan match {
    case operator: RepeatableOperator =>
      if (below.sameOrder && operator.keepsOrder) Some(below)
      else operator.variations(below.varying).map(Rows(_, sameOrder = false))
    // Their memory may run out in one of two attempts, which changes the order.
    case _: BaseAggregateExec | _: SortExec | _: SortMergeJoinExec | _: WindowExecBase =>
      outOfOrder(plan, below.varying)
    case _ if below.sameOrder && !shuffles(plan) && plan.expressions.forall(Variations.repeats) => Some(below)
    case _ => outOfOrder(plan, below.varying)
  }

  private def shuffles(plan: SparkPlan): Boolean = plan match {
    case _: ShuffleExchangeLike => true
    // With a shuffle of their own.
    case _: TakeOrderedAndProjectExec | _: CollectLimitExec | _: CollectTailExec =>
      plan.children.exists(_.outputPartitioning != SinglePartition)
    case _ => false
  }

  private def outOfOrder(plan: SparkPlan, below: Variations): Option[Rows] = {
    val varying = plan match {
      case exchange: ShuffleExchangeLike =>
        if (staysInPartition(exchange.outputPartitioning, exchange.child.output, below)) Some(below) else None
      case project: ProjectExec         => Some(below.ofResults(project.projectList))
      case window: WindowExecBase       => Some(below ++ below.ofResults(window.windowExpression))
      case aggregate: BaseAggregateExec => ofAggregate(aggregate, below)
      case expand: ExpandExec           =>
        val columns = expand.projections.map(_.map(below.of)).transpose.map(Variations.most)
        Some(Variations.of(expand.output.zip(columns)))
      case python: EvalPythonExec =>
        Some(below ++ Variations.of(python.resultAttrs.zip(python.udfs.map(below.of))))
      case _: DeserializeToObjectExec | _: MapElementsExec | _: SerializeFromObjectExec |
          _: AppendColumnsExec =>
        Some(if (below.isEmpty) below else allOf(plan.output))
      case generate: GenerateExec                    => below.decidedBy(Seq(generate.generator))
      case filter: FilterExec                        => below.decidedBy(Seq(filter.condition))
      case _: BaseJoinExec | _: UpdatingSessionsExec => below.decidedBy(plan.expressions)
      case limit: WindowGroupLimitExec if keepsPeers(limit.rankLikeFunction) =>
        below.decidedBy(limit.expressions)
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

  /** Whether rows that tie by a function are either all among the first rows or none of them is. */
  private[execution] def keepsPeers(function: Expression): Boolean =
    Families.of(function).rank.exists(_.joinsPeers)

  // Rows that are spread evenly are sorted by the hash of their content first.
  private def staysInPartition(to: Partitioning, content: Seq[Attribute], by: Variations): Boolean =
    to match {
      case HashPartitioning(keys, _)   => by.areSame(keys)
      case RangePartitioning(order, _) => by.areSame(order.map(_.child))
      case other                       => other.numPartitions == 1 || by.areSame(content)
    }

  private def ofAggregate(aggregate: BaseAggregateExec, below: Variations): Option[Variations] = {
    val keys = aggregate.groupingExpressions
    below.decidedBy(keys).map { _ =>
      // One of several values that are equal.
      val chosen = keys.map(_.toAttribute).filterNot(key => SparkCollations.isBinaryStable(key.dataType))
      val results = below.ofCalls(aggregate.aggregateExpressions, aggregate.aggregateAttributes)
      (results ++ allOf(chosen)).ofResults(aggregate.resultExpressions)
    }
  }
}

/** The plans that have been analysed, by identity; valid while they do not change. */
final private[spark] class KnownPlans {
  private[parallel] val rows = new IdentityHashMap[SparkPlan, Option[RepeatedRows.Rows]]
}
