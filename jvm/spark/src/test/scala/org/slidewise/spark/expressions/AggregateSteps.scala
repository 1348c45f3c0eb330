package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

/** Runs the steps of an aggregate function outside of a query; its buffers are rows. */
sealed abstract class AggregateSteps(function: AggregateFunction) {
  def empty: InternalRow

  /** Adds a row to the buffer. */
  def update(buffer: InternalRow, row: InternalRow): Unit

  /** Merges `newer` into `older`. */
  def merge(older: InternalRow, newer: InternalRow): Unit

  def evaluate(buffer: InternalRow): Any

  /** A copy of a buffer. A typed one is serialized and read again. */
  def copy(buffer: InternalRow): InternalRow

  final def bufferOf(rows: Seq[InternalRow]): InternalRow = {
    val buffer = empty
    rows.foreach(update(buffer, _))
    buffer
  }

  /** The buffer of `older` followed by `newer`, neither of which is changed. */
  final def merged(older: InternalRow, newer: InternalRow): InternalRow = {
    val buffer = copy(older)
    merge(buffer, copy(newer))
    buffer
  }

  /** The result in values of Scala that can be compared. */
  final def result(buffer: InternalRow): Any = AggregateSteps.plain(evaluate(buffer), function.dataType)

  final def resultOf(rows: Seq[InternalRow]): Any = result(bufferOf(rows))
}

object AggregateSteps {

  def apply(function: AggregateFunction, input: Seq[Attribute]): AggregateSteps = function match {
    case replaceable: RuntimeReplaceableAggregate =>
      AggregateSteps(replaceable.replacement.asInstanceOf[AggregateFunction], input)
    case declarative: DeclarativeAggregate  => new Declarative(declarative, input)
    case typed: TypedImperativeAggregate[_] => new Typed(BindReferences.bindReference(typed, input))
    case imperative: ImperativeAggregate    => new Imperative(BindReferences.bindReference(imperative, input))
    case other => throw new IllegalArgumentException(s"no steps of ${other.getClass}")
  }

  /** Rows and arrays as sequences, and bytes too. */
  def plain(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (null, _)                              => null
    case (bytes: Array[Byte], _)                => bytes.toSeq
    case (row: InternalRow, StructType(fields)) =>
      fields.indices.map(i =>
        plain(if (row.isNullAt(i)) null else row.get(i, fields(i).dataType), fields(i).dataType)
      )
    case (array: ArrayData, ArrayType(element, _)) => array.toSeq[Any](element).map(plain(_, element))
    case (map: MapData, MapType(key, of, _))       =>
      plain(map.keyArray(), ArrayType(key)) -> plain(map.valueArray(), ArrayType(of))
    case (other, _) => other
  }

  /** Whether two results are equal, doubles up to rounding. */
  def same(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Double, y: Double) =>
      java.lang.Double.compare(x, y) == 0 || math.abs(x - y) <= 1e-9 * math.max(1.0, math.abs(x))
    case (x: Seq[_], y: Seq[_]) => x.size == y.size && x.zip(y).forall { case (p, q) => same(p, q) }
    case ((x, p), (y, q))       => same(x, y) && same(p, q)
    case _                      => a == b
  }

  private final class Declarative(function: DeclarativeAggregate, input: Seq[Attribute])
      extends AggregateSteps(function) {
    private val fields = function.aggBufferAttributes
    private def projection(expressions: Seq[Expression], of: Seq[Attribute]) =
      new InterpretedMutableProjection(expressions, of)
    private val initial = projection(function.initialValues, Nil)
    private val updating = projection(function.updateExpressions, fields ++ input)
    private val merging = projection(function.mergeExpressions, fields ++ function.inputAggBufferAttributes)
    private val evaluating = projection(Seq(function.evaluateExpression), fields)
    private val joined = new JoinedRow

    override def empty: InternalRow = {
      val buffer = new GenericInternalRow(fields.size)
      initial.target(buffer)(EmptyRow)
      buffer
    }
    override def update(buffer: InternalRow, row: InternalRow): Unit =
      updating.target(buffer)(joined(buffer, row))
    override def merge(older: InternalRow, newer: InternalRow): Unit =
      merging.target(older)(joined(older, newer))
    override def evaluate(buffer: InternalRow): Any = {
      val result = new GenericInternalRow(1)
      evaluating.target(result)(buffer)
      result.get(0, function.dataType)
    }
    override def copy(buffer: InternalRow): InternalRow = buffer.copy()
  }

  private final class Imperative(function: ImperativeAggregate) extends AggregateSteps(function) {
    override def empty: InternalRow = {
      val buffer = new GenericInternalRow(function.aggBufferAttributes.size)
      function.initialize(buffer)
      buffer
    }
    override def update(buffer: InternalRow, row: InternalRow): Unit = function.update(buffer, row)
    override def merge(older: InternalRow, newer: InternalRow): Unit = function.merge(older, newer)
    override def evaluate(buffer: InternalRow): Any = function.eval(buffer)
    override def copy(buffer: InternalRow): InternalRow = buffer.copy()
  }

  private final class Typed[T](function: TypedImperativeAggregate[T]) extends AggregateSteps(function) {
    private val objects = ObjectType(classOf[AnyRef])
    private def of(buffer: InternalRow): T = buffer.get(0, objects).asInstanceOf[T]

    override def empty: InternalRow = new GenericInternalRow(Array[Any](function.createAggregationBuffer()))
    override def update(buffer: InternalRow, row: InternalRow): Unit =
      buffer.update(0, function.update(of(buffer), row))
    override def merge(older: InternalRow, newer: InternalRow): Unit =
      older.update(0, function.merge(of(older), of(newer)))
    override def evaluate(buffer: InternalRow): Any = function.eval(of(buffer))
    override def copy(buffer: InternalRow): InternalRow =
      new GenericInternalRow(Array[Any](function.deserialize(function.serialize(of(buffer)))))
  }
}
