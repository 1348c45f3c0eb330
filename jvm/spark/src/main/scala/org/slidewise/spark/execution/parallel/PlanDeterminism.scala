package org.slidewise.spark.execution.parallel

import java.util.IdentityHashMap

import scala.util.Try
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

import org.slidewise.spark.execution.exchange.FilteredBatchesExec
import org.slidewise.spark.execution.{
  HoppingWindowExec,
  SlidingWindowExecBase,
  WindowJoinExecBase,
  WindowTopRowsExec
}
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{OrderSensitivity, SlidingWindowPlan}
import org.slidewise.spark.shims.SparkCollations

/**
 * Describes how the rows of a task that runs again can differ from the rows of its first run. Their number and their partitions
 * are the same.
 *
 * @param columns
 *   the columns whose values may differ
 * @param sameOrder
 *   whether the rows come in the same order
 */
final private[spark] case class OutputDeterminism(columns: SensitiveColumns, sameOrder: Boolean) {

  /** The attributes of `output` whose columns are the same to the bit. */
  def same(output: Seq[Attribute]): Seq[Attribute] =
    output.filter(columns.of(_) == OrderSensitivity.NONE)

  /** The same determinism, for rows whose attributes `output` are renamed to `names`. */
  def renamed(output: Seq[Attribute], names: Seq[Attribute]): OutputDeterminism =
    copy(columns = columns.renamed(output.zip(names)))

  /** This determinism, limited by the determinism that Spark reports for the RDD of the rows. */
  def limitedBy(rdd: RDD[_]): Option[OutputDeterminism] = RddDeterminism.of(rdd) match {
    case RddDeterminism.SAME_ORDER => Some(this)
    case RddDeterminism.SAME_ROWS  => Some(copy(sameOrder = false))
    case RddDeterminism.NONE       => None
  }

  /**
   * Whether the window has consistent results if some of its tasks read rows before, and others after, a task that writes these
   * rows ran again. Each row must then be read exactly once, and the results must be consistent with each other. For this, the
   * keys must be the same to the bit, and the inputs of the functions may differ only in digits or by the order of ties.
   */
  def allows(window: SlidingWindowPlan): Boolean =
    columns.areSame(RunOrder(window.partitionSpec, window.sortOrder).inRows.map(_.child)) &&
      window.expressions.flatMap(_.expression.references).forall(columns.of(_) != OrderSensitivity.VALUE)
}

private object OutputDeterminism {
  def same(order: Boolean): Option[OutputDeterminism] =
    Some(OutputDeterminism(SensitiveColumns.Empty, order))
}

/**
 * Derives from plans how the rows of a task that runs again can differ. Below a shuffle, rows may come in another order. Some
 * results depend on the order: the digits of a `sum` of floating-point numbers, the row that `first`, `row_number` or LIMIT
 * chooses, and generated numbers. Spark's own means do not replace this model: `docs/scale.md` has the reasons.
 *
 * Like Spark, assumes that a user's function of one row depends only on its arguments, unless the user says that it is not
 * deterministic.
 *
 * Visits each node once for all plans, also a node that several others read. An exchange that has run already counts as one node
 * with all nodes below it. Valid while the plans do not change.
 */
final private[spark] class PlanDeterminism extends Logging {
  import OutputDeterminism.same

  private[this] val known = new IdentityHashMap[SparkPlan, Option[OutputDeterminism]]
  private[this] val shuffled = new IdentityHashMap[SparkPlan, java.lang.Boolean]

  /**
   * The determinism of a task of `plan`, as far as the plan alone determines it. None if a task that runs again may return other
   * rows, or if this is unknown.
   */
  def of(plan: SparkPlan): Option[OutputDeterminism] =
    try rows(plan)
    catch {
      case e @ (_: LinkageError | NonFatal(_)) =>
        logWarning(s"Tasks do not share a window, since its input could not be analysed: $e")
        None
    }

  private def rows(plan: SparkPlan): Option[OutputDeterminism] = known.get(plan) match {
    case null =>
      val found = ofNode(plan)
      known.put(plan, found)
      found
    case found => found
  }

  private def ofNode(plan: SparkPlan): Option[OutputDeterminism] = plan match {
    case runs: RunsExchangeExec if runs.hasChildRun => runs.ofChild
    case stage: QueryStageExec                      => renamed(stage.plan, stage.output)
    case adaptive: AdaptiveSparkPlanExec            => renamed(adaptive.executedPlan, adaptive.output)
    case ReusedExchangeExec(output, of)             => renamed(of, output)
    case scan: InMemoryTableScanExec                => renamed(scan.relation.cachedPlan, scan.relation.output)
    case RunRowsExec(output, runs)                  => renamed(runs, output)
    case scan: RDDScanExec                          => ofRdd(scan.inputRDD, scan.output)
    case scan: ExternalRDDScanExec[_]               => ofRdd(scan.rdd, scan.output)
    // A database returns rows in any order.
    case _: RowDataSourceScanExec => same(order = false)
    // A recursive query. Its plans are no children of the node.
    case _: LeafExecNode if plan.nodeName.startsWith("UnionLoop") => None
    case _: LeafExecNode                                          => same(order = true)
    // The driver sends these rows once.
    case _: BroadcastExchangeLike => same(order = true)
    case union: UnionExec         => all(union.children.map(renamed(_, union.output)))
    case _                        => all(plan.children.map(rows)).flatMap(above(plan, _))
  }

  /** The determinism of `plan`, with its attributes renamed to `output`. */
  private def renamed(plan: SparkPlan, output: Seq[Attribute]): Option[OutputDeterminism] =
    rows(plan).map(_.renamed(plan.output, output))

  /** The determinism of an RDD, which may be computed by other plans of Spark. */
  private def ofRdd(rdd: RDD[_], output: Seq[Attribute]): Option[OutputDeterminism] =
    if (rdd.isCheckpointed) same(order = true)
    else
      same(order = true)
        .flatMap(_.limitedBy(rdd))
        .map(found => if (found.sameOrder) found else found.copy(columns = SensitiveColumns.all(output)))

  private def all(inputs: Seq[Option[OutputDeterminism]]): Option[OutputDeterminism] =
    inputs.foldLeft(same(order = true)) { (sum, input) =>
      for (a <- sum; b <- input) yield OutputDeterminism(a.columns ++ b.columns, a.sameOrder && b.sameOrder)
    }

  private def above(plan: SparkPlan, below: OutputDeterminism): Option[OutputDeterminism] =
    if (below.sameOrder && keepsOrder(plan)) Some(below)
    else columnsAbove(plan, below.columns).map(OutputDeterminism(_, sameOrder = false))

  /** Whether an operator returns rows in the same order and with the same values if its children do. */
  private def keepsOrder(plan: SparkPlan): Boolean = plan match {
    // A task reads its blocks in order.
    case _: RunsExchangeExec        => true
    case shared: ParallelWindowExec => shared.windowExpression.forall(SensitiveColumns.repeats)
    // A task may run out of memory in one of two attempts, which changes the order.
    case _: SlidingWindowExecBase | _: WindowTopRowsExec | _: HoppingWindowExec        => false
    case _: WindowJoinExecBase                                                         => false
    case _: BaseAggregateExec | _: SortExec | _: SortMergeJoinExec | _: WindowExecBase => false
    case _ => !shuffles(plan) && plan.expressions.forall(SensitiveColumns.repeats)
  }

  private def shuffles(plan: SparkPlan): Boolean = plan match {
    case _: ShuffleExchangeLike => true
    // These operators shuffle rows themselves.
    case _: TakeOrderedAndProjectExec | _: CollectLimitExec | _: CollectTailExec =>
      plan.children.exists(_.outputPartitioning != SinglePartition)
    case _ => false
  }

  /**
   * The sensitive columns of an operator's output if its input comes in another order. None if the output may have other rows.
   */
  private def columnsAbove(plan: SparkPlan, below: SensitiveColumns): Option[SensitiveColumns] = plan match {
    // One task reads all rows if their keys may differ.
    case _: RunsExchangeExec           => Some(below)
    case exchange: ShuffleExchangeLike =>
      val content = exchange.child.output
      if (
        staysInPartition(exchange.outputPartitioning, content, below) && mayDiffer(exchange, content, below)
      )
        Some(below)
      else None
    case project: ProjectExec          => Some(below.ofResults(project.projectList))
    case window: WindowExecBase        => Some(below ++ below.ofResults(window.windowExpression))
    case window: SlidingWindowExecBase => Some(below ++ below.ofResults(window.windowExpression))
    case join: WindowJoinExecBase      =>
      (below ++ below.ofResults(join.calls)).decidedBy(join.leftKeys ++ join.rightKeys)
    case aggregate: BaseAggregateExec => ofAggregate(aggregate, below)
    case hopping: HoppingWindowExec   =>
      val results = below ++ below.ofCalls(hopping.aggregateExpressions, hopping.plan.answers)
      results
        .decidedBy((hopping.keys :+ hopping.plan.pane) ++ hopping.condition)
        .map(_.ofResults(hopping.resultExpressions))
    case expand: ExpandExec =>
      val columns = expand.projections.map(_.map(below.of)).transpose.map(SensitiveColumns.most)
      Some(SensitiveColumns.of(expand.output.zip(columns)))
    case python: EvalPythonExec =>
      Some(below ++ SensitiveColumns.of(python.resultAttrs.zip(python.udfs.map(below.of))))
    case _: DeserializeToObjectExec | _: MapElementsExec | _: SerializeFromObjectExec |
        _: AppendColumnsExec =>
      Some(if (below.isEmpty) below else SensitiveColumns.all(plan.output))
    case generate: GenerateExec       => below.decidedBy(Seq(generate.generator))
    case filter: FilterExec           => below.decidedBy(Seq(filter.condition))
    case batches: FilteredBatchesExec =>
      below.decidedBy(batches.condition.toSeq).map(kept => batches.columns.fold(kept)(kept.ofResults))
    case _: BaseJoinExec | _: UpdatingSessionsExec => below.decidedBy(plan.expressions)
    case limit: WindowGroupLimitExec if keepsPeers(limit.rankLikeFunction) =>
      below.decidedBy(limit.expressions)
    case select: WindowTopRowsExec if keepsPeers(select.rankLikeFunction) =>
      below.decidedBy(select.expressions)
    case _: SortExec | _: CoalesceExec | _: InputAdapter | _: WholeStageCodegenExec | _: AQEShuffleReadExec =>
      Some(below)
    case _: ColumnarToRowTransition | _: RowToColumnarTransition | _: CollectMetricsExec => Some(below)
    // An operator that chooses or makes rows, or an operator of another engine.
    case _ => None
  }

  /** Whether rows that tie by the rank function are either all selected or all rejected. */
  private def keepsPeers(function: Expression): Boolean = Families.of(function).rank.exists(_.joinsPeers)

  // Before a round-robin shuffle, Spark sorts the rows by the hash of their content.
  private def staysInPartition(to: Partitioning, content: Seq[Attribute], by: SensitiveColumns): Boolean =
    to match {
      case HashPartitioning(keys, _)   => by.areSame(keys)
      case RangePartitioning(order, _) => by.areSame(order.map(_.child))
      case other                       => other.numPartitions == 1 || by.areSame(content)
    }

  /**
   * Whether the query survives if a task that runs again writes other values of these columns to `exchange`. With checksums,
   * Spark fails the query if tasks that read the earlier rows have returned their results. A single task has not returned results
   * by then, and reads all rows again. Without a shuffle below, rows come in another order only if memory runs out in one of two
   * attempts. This case is ignored.
   */
  private def mayDiffer(exchange: SparkPlan, content: Seq[Attribute], by: SensitiveColumns): Boolean =
    by.areSame(content) || !exchange.children.exists(readsShuffle) ||
      !PlanDeterminism.Checksums.exists(name =>
        Try(exchange.conf.getConfString(name)).toOption.contains("true")
      )

  /** Whether a shuffle lies in `plan`. Visits each node once, whatever the number of exchanges above it. */
  private def readsShuffle(plan: SparkPlan): Boolean = shuffled.get(plan) match {
    case null =>
      val found = isShuffle(plan) || plan.children.exists(readsShuffle)
      shuffled.put(plan, found)
      found
    case found => found
  }

  private def isShuffle(plan: SparkPlan): Boolean = plan match {
    case ReusedExchangeExec(_, exchange)                   => exchange.isInstanceOf[ShuffleExchangeLike]
    case _: ShuffleExchangeLike | _: ShuffleQueryStageExec => true
    case _                                                 => false
  }

  private def ofAggregate(aggregate: BaseAggregateExec, below: SensitiveColumns): Option[SensitiveColumns] = {
    val keys = aggregate.groupingExpressions
    below.decidedBy(keys).map { _ =>
      // The group keeps one of several equal values.
      val chosen = keys.map(_.toAttribute).filterNot(key => SparkCollations.isBinaryStable(key.dataType))
      val results = below.ofCalls(aggregate.aggregateExpressions, aggregate.aggregateAttributes)
      (results ++ SensitiveColumns.all(chosen)).ofResults(aggregate.resultExpressions)
    }
  }
}

private object PlanDeterminism {

  /** The settings with which Spark compares the rows that a task writes again, and fails the query if it cannot roll back. */
  private val Checksums = Seq("enableFullRetryOnMismatch", "enableQueryLevelRollbackOnMismatch")
    .map("spark.sql.shuffle.orderIndependentChecksum." + _)
}
