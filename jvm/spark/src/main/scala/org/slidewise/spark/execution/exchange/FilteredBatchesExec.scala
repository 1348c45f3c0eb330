package org.slidewise.spark.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

import org.slidewise.spark.shims.SparkBatches

/**
 * Spark's `ProjectExec` above its `FilterExec`, or one of them, whose input and output are batches. Reads the vectors below it and
 * copies none: see [[SelectedVector]].
 *
 * @param columns
 *   columns of the child, perhaps with other names; all if there are none
 * @param condition
 *   deterministic
 */
case class FilteredBatchesExec(
    columns: Option[Seq[NamedExpression]],
    condition: Option[Expression],
    child: SparkPlan
) extends UnaryExecNode {
  import FilteredBatchesExec.NumRows

  /** The operators that this one stands for, whose output is rows. */
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
    val ordinals = columns.getOrElse(input).map(ordinal).toArray
    val holds = condition
    child.executeColumnar().mapPartitionsWithIndex { (partition, batches) =>
      val predicate = holds.map(Predicate.create(_, input))
      predicate.foreach(_.initialize(partition))
      new FilteredBatches(batches, ordinals, predicate).map { batch =>
        rows += batch.numRows
        batch
      }
    }
  }

  private def ordinal(column: NamedExpression): Int = {
    val read = column match {
      case Alias(attribute: Attribute, _) => attribute
      case other                          => other.toAttribute
    }
    child.output.indexWhere(_.exprId == read.exprId)
  }

  override protected def doExecute(): RDD[InternalRow] = ColumnarToRowExec(this).execute()

  override protected def withNewChildInternal(newChild: SparkPlan): FilteredBatchesExec =
    copy(child = newChild)
}

private[spark] object FilteredBatchesExec {
  private val NumRows = "numOutputRows"

  /** The batches that a plan makes rows of, perhaps only some of their rows and columns; none if it does anything else. */
  def below(rows: SparkPlan): Option[SparkPlan] = rows match {
    case ProjectExec(columns, child) if columns.forall(isColumn) =>
      below(child).collect {
        case FilteredBatchesExec(None, condition, batches) =>
          FilteredBatchesExec(Some(columns), condition, batches)
        case batches if !batches.isInstanceOf[FilteredBatchesExec] =>
          FilteredBatchesExec(Some(columns), None, batches)
      }
    case FilterExec(condition, child) if condition.deterministic =>
      below(child).collect {
        case batches if !batches.isInstanceOf[FilteredBatchesExec] =>
          FilteredBatchesExec(None, Some(condition), batches)
      }
    case ColumnarToRowExec(batches)          => Some(batches)
    case batches if batches.supportsColumnar => Some(batches) // and rows, as a cache does
    case _                                   => None
  }

  /** The plan that Spark has where an exchange reads batches as rows: these are made in one generated function. */
  private[exchange] def exchanged(exchange: SparkPlan => SparkPlan, batches: SparkPlan): SparkPlan = {
    // What makes the batches has its generated functions already.
    val source = sourceOf(batches)
    val leaf = BatchesLeafExec(source.output, source.supportsRowBased)
    CollapseCodegenStages()(exchange(inRows(withSource(batches, leaf)))).transformUp { case `leaf` => source }
  }

  /** The plan of `above` over batches or rows, which are made in the same generated function. */
  private[execution] def generated(above: SparkPlan => SparkPlan, below: SparkPlan): SparkPlan =
    if (below.supportsColumnar) exchanged(above, below)
    else
      CollapseCodegenStages()(above(below.transformUp {
        case WholeStageCodegenExec(child) => child
        case InputAdapter(child)          => child
      }))

  /** The rows of a plan, which are made in one generated function if it has batches. */
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

  /** What Spark has where batches are read as rows. */
  private[exchange] def inRows(batches: SparkPlan): SparkPlan = batches match {
    case filtered: FilteredBatchesExec                              => filtered.inRows
    case _ if batches.supportsColumnar && !batches.supportsRowBased => ColumnarToRowExec(batches)
    case rows                                                       => rows
  }

  private def isColumn(expression: NamedExpression): Boolean = expression match {
    case Alias(_: AttributeReference, _) | _: AttributeReference => true
    case _                                                       => false
  }
}

/** The rows of batches for which `predicate` holds, as batches of the columns `ordinals`. No batch is empty. */
final private class FilteredBatches(
    batches: Iterator[ColumnarBatch],
    ordinals: Array[Int],
    predicate: Option[BasePredicate]
) extends Iterator[ColumnarBatch] {
  private[this] var read, found: ColumnarBatch = _

  override def hasNext: Boolean = {
    while (found == null && batches.hasNext) {
      if (read != null) SparkBatches.free(read)
      read = batches.next()
      found = select(read)
    }
    found != null
  }

  override def next(): ColumnarBatch = {
    if (!hasNext) throw new NoSuchElementException
    val batch = found
    found = null
    batch
  }

  private def select(batch: ColumnarBatch): ColumnarBatch = predicate match {
    case None if batch.numRows > 0 => of(batch, null, batch.numRows)
    case None                      => null
    case Some(predicate)           =>
      val selected = new Array[Int](batch.numRows)
      var count, row = 0
      while (row < batch.numRows) {
        if (predicate.eval(batch.getRow(row))) {
          selected(count) = row
          count += 1
        }
        row += 1
      }
      if (count == 0) null else of(batch, if (count < batch.numRows) selected else null, count)
  }

  private def of(batch: ColumnarBatch, selected: Array[Int], count: Int): ColumnarBatch =
    new ColumnarBatch(
      ordinals.map { ordinal =>
        val vector = batch.column(ordinal)
        if (selected == null) vector else new SelectedVector(vector, selected): ColumnVector
      },
      count
    )
}

/** Stands for the operator that makes batches, so that rules do not look below it. */
private case class BatchesLeafExec(
    override val output: Seq[Attribute],
    override val supportsRowBased: Boolean
) extends LeafExecNode {
  override def supportsColumnar: Boolean = true
  override protected def doExecute(): RDD[InternalRow] =
    throw new UnsupportedOperationException("a leaf that stands for an operator is not run")
}
