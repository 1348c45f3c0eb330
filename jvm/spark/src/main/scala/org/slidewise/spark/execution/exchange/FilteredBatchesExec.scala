package org.slidewise.spark.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.expressions.GuardedCondition

/**
 * Evaluates Spark's `ProjectExec` over `FilterExec`, or one of them, on batches. Reads the vectors of the child without copying
 * them: see [[SelectedVector]]. Memory: nine bytes for each computed value of a batch.
 *
 * @param columns
 *   columns of the child, perhaps with other names, and computed values of fixed size; none for all columns of the child
 * @param condition
 *   the filter condition, which is deterministic; none if all rows are kept
 */
case class FilteredBatchesExec(
    columns: Option[Seq[NamedExpression]],
    condition: Option[Expression],
    child: SparkPlan
) extends UnaryExecNode {
  import FilteredBatchesExec.NumRows

  /** The row-based operators that this operator replaces. */
  @transient private[exchange] lazy val inRows: SparkPlan = {
    val rows = FilteredBatchesExec.inRows(child)
    val filtered = condition.fold[SparkPlan](rows)(FilterExec(_, rows))
    columns.fold(filtered)(ProjectExec(_, filtered))
  }

  override def nodeName: String = "FilteredBatches"
  override def supportsColumnar: Boolean = true
  @transient override lazy val output: Seq[Attribute] = inRows.output
  @transient override lazy val outputPartitioning: Partitioning = inRows.outputPartitioning
  @transient override lazy val outputOrdering: Seq[SortOrder] = inRows.outputOrdering

  override lazy val metrics: Map[String, SQLMetric] =
    Map(NumRows -> SQLMetrics.createMetric(sparkContext, "number of output rows"))

  override protected def doCanonicalize(): SparkPlan = inRows.canonicalized

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val (input, rows) = (child.output, longMetric(NumRows))
    val (holds, columnsOfBatch) = (condition, columns.getOrElse(input))
    child.executeColumnar().mapPartitionsWithIndex { (partition, batches) =>
      val predicate =
        holds.map(c => GuardedCondition.predicate(FilteredBatchesExec.nullsFirst(c), input))
      predicate.foreach(_.initialize(partition))
      new FilteredBatches(batches, predicate, new ColumnsOfBatch(columnsOfBatch, input)).map { batch =>
        rows += batch.numRows
        batch
      }
    }
  }

  override protected def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  override protected def withNewChildInternal(newChild: SparkPlan): FilteredBatchesExec =
    copy(child = newChild)
}

private[spark] object FilteredBatchesExec extends PredicateHelper {
  private val NumRows = "numOutputRows"

  /** The condition that first tests whether columns are null, as Spark's generated code does: a function of users may fail for null. */
  private def nullsFirst(condition: Expression): Expression = {
    val (ofNulls, others) = splitConjunctivePredicates(condition).partition {
      case IsNotNull(_: Attribute) => true
      case _                       => false
    }
    (ofNulls ++ others).reduceLeft(And)
  }

  /**
   * The columnar plan whose batches `rows` converts to rows, perhaps with a filter and a projection; none if `rows` does anything
   * else.
   */
  def below(rows: SparkPlan): Option[SparkPlan] = rows match {
    case ProjectExec(columns, child) if columns.forall(ColumnsOfBatch.areThere) =>
      below(child).collect {
        case FilteredBatchesExec(None, condition, batches) =>
          FilteredBatchesExec(Some(columns), condition, batches)
        case batches if !batches.isInstanceOf[FilteredBatchesExec] =>
          FilteredBatchesExec(Some(columns), None, batches)
      }
    case FilterExec(condition, child)
        if condition.deterministic && child.output.forall(a => SelectedVector.shows(a.dataType)) =>
      below(child).collect {
        case batches if !batches.isInstanceOf[FilteredBatchesExec] =>
          FilteredBatchesExec(None, Some(condition), batches)
      }
    case toRows: ColumnarToRowTransition if hasJvmVectors(toRows) => Some(toRows.child).filter(hasJvmVectors)
    // Which may also return rows, as a cache does.
    case batches if batches.supportsColumnar => Some(batches).filter(hasJvmVectors)
    case _                                   => None
  }

  /** Whether the JVM can read the vectors of the operator's batches. Those of some engines hold native or device memory. */
  private def hasJvmVectors(plan: SparkPlan): Boolean = JvmEngines.exists(plan.getClass.getName.startsWith(_))

  private val JvmEngines =
    Seq("org.apache.spark.sql.execution.", "org.slidewise.", "org.apache.spark.sql.comet.")

  /** The plan in which an exchange reads batches as rows, as in Spark: one generated function creates the rows. */
  private[exchange] def exchanged(exchange: SparkPlan => SparkPlan, batches: SparkPlan): SparkPlan = {
    // The operators that produce the batches already have their generated functions.
    val source = sourceOf(batches)
    val leaf = BatchesLeafExec(source.output, source.supportsRowBased)
    CollapseCodegenStages()(exchange(inRows(withSource(batches, leaf)))).transformUp { case `leaf` => source }
  }

  /** The plan of `above` over the rows of `below`, in one generated function. `below` returns batches or rows. */
  private[execution] def generated(above: SparkPlan => SparkPlan, below: SparkPlan): SparkPlan =
    if (below.supportsColumnar) exchanged(above, below)
    else
      CollapseCodegenStages()(above(below.transformUp {
        case WholeStageCodegenExec(child) => child
        case InputAdapter(child)          => child
      }))

  /** The rows of a plan. If the plan is columnar, one generated function creates the rows. */
  private[execution] def rowsOf(plan: SparkPlan): SparkPlan =
    if (plan.supportsColumnar) exchanged(identity, plan) else plan

  private def sourceOf(batches: SparkPlan): SparkPlan = batches match {
    case filtered: FilteredBatchesExec => sourceOf(filtered.child)
    case other                         => other
  }

  private def withSource(batches: SparkPlan, source: SparkPlan): SparkPlan = batches match {
    case filtered: FilteredBatchesExec => filtered.copy(child = withSource(filtered.child, source))
    case _                             => source
  }

  /** The plan in which Spark reads the batches as rows. */
  private[exchange] def inRows(batches: SparkPlan): SparkPlan = batches match {
    case filtered: FilteredBatchesExec                              => filtered.inRows
    case _ if batches.supportsColumnar && !batches.supportsRowBased => ColumnarToRowExec(batches)
    case rows                                                       => rows
  }
}

/** A placeholder for the operator that produces the batches, which keeps rules from changing the plan below. */
private case class BatchesLeafExec(
    override val output: Seq[Attribute],
    override val supportsRowBased: Boolean
) extends LeafExecNode {
  override def supportsColumnar: Boolean = true
  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("a leaf that stands for an operator is not run")
}
