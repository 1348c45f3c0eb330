package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

import org.slidewise.spark.execution.blocks.BatchesInTurn
import org.slidewise.spark.execution.columns.{FieldVector, FieldWords}
import org.slidewise.spark.plan.StateTypes

/** The rows of batches for which `predicate` holds, as batches of `columns`. No batch is empty. */
final private[exchange] class FilteredBatches(
    batches: Iterator[ColumnarBatch],
    predicate: Option[BasePredicate],
    columns: ColumnsOfBatch
) extends Iterator[ColumnarBatch] {
  private[this] val inTurn = new BatchesInTurn(batches)
  private[this] var found: ColumnarBatch = _

  override def hasNext: Boolean = {
    while (found == null && inTurn.advance())
      found = select(inTurn.batch)
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
    new ColumnarBatch(columns.of(batch, selected, count), count)
}

/**
 * The output columns of batches: columns of the batch, or computed values. Not safe for concurrent use.
 *
 * @param input
 *   the attributes of a row of a batch
 */
final private[exchange] class ColumnsOfBatch(columns: Seq[NamedExpression], input: Seq[Attribute]) {
  import ColumnsOfBatch._

  private[this] val computed = columns.flatMap(computedBy)
  private[this] val project = UnsafeProjection.create(computed, input)
  private[this] val words = computed.map(value => new FieldWords(value.dataType)).toArray
  private[this] var capacity = 0
  private[this] var vectors: Array[FieldVector] = _

  // For each output column, the number of its column in the batch or, if it is computed, the number of its value minus the number
  // of all computed values, which is negative.
  private[this] val places = {
    var values = -computed.size - 1
    columns.map { column =>
      if (computedBy(column).isEmpty) input.indexWhere(_.exprId == source(column).exprId)
      else {
        values += 1
        values
      }
    }.toArray
  }

  /** The columns of the selected rows of a batch, or of all its rows if `selected` is null. Valid until the next call. */
  def of(batch: ColumnarBatch, selected: Array[Int], count: Int): Array[ColumnVector] = {
    if (computed.nonEmpty) compute(batch, selected, count)
    places.map { place =>
      if (place < 0) vectors(place + computed.size): ColumnVector
      else if (selected == null) batch.column(place)
      else new SelectedVector(batch.column(place), selected)
    }
  }

  private def compute(batch: ColumnarBatch, selected: Array[Int], count: Int): Unit = {
    if (capacity < count) {
      capacity = count
      vectors = computed.map(value => new FieldVector(value.dataType, count)).toArray
    }
    vectors.foreach(_.clearNulls())
    var row = 0
    while (row < count) {
      val values = project(batch.getRow(if (selected == null) row else selected(row)))
      var i = 0
      while (i < vectors.length) {
        if (values.isNullAt(i)) vectors(i).setNull(row)
        vectors(i).words(row) = words(i).ofRow(values.getLong(i))
        i += 1
      }
      row += 1
    }
  }
}

private[exchange] object ColumnsOfBatch {

  /** Whether an output column of batches is possible: a column of the batch, or a deterministic value of fixed size. */
  def areThere(column: NamedExpression): Boolean = computedBy(column).forall { value =>
    value.deterministic && FieldVector.holds(value.dataType) && StateTypes.isFixedWidth(value.dataType)
  }

  private def computedBy(column: NamedExpression): Option[Expression] = column match {
    case _: Attribute | Alias(_: Attribute, _) => None
    case Alias(value, _)                       => Some(value)
    case other                                 => Some(other)
  }

  private def source(column: NamedExpression): Attribute = column match {
    case Alias(attribute: Attribute, _) => attribute
    case other                          => other.toAttribute
  }
}
