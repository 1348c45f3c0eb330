package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

/**
 * Evaluates an aggregate function over rows that another aggregate function holds. Not thread-safe: calls share one aggregation
 * buffer.
 *
 * @param function
 *   a declarative or imperative aggregate over `input`
 * @param input
 *   the attributes of a row
 * @param isGenerated
 *   whether code is generated for it, which pays for many rows
 */
final private[spark] class FunctionOverRows(
    function: AggregateFunction,
    input: Seq[Attribute],
    isGenerated: Boolean = true
) extends (Iterable[InternalRow] => Any) {

  private[this] val evaluate: Iterable[InternalRow] => Any = function match {
    case declarative: DeclarativeAggregate => ofExpressions(declarative)
    case imperative: ImperativeAggregate   => ofObject(imperative)
    case other => throw new IllegalStateException(s"${other.prettyName}, a ${other.getClass}, has no buffer")
  }

  override def apply(rows: Iterable[InternalRow]): Any = evaluate(rows)

  private def ofExpressions(of: DeclarativeAggregate): Iterable[InternalRow] => Any = {
    val state = new GenericInternalRow(of.aggBufferAttributes.size)
    val clear = projection(of.initialValues, Nil).target(state)
    val update = projection(of.updateExpressions, of.aggBufferAttributes ++ input).target(state)
    val evaluate = projection(Seq(of.evaluateExpression), of.aggBufferAttributes)
    val joined = new JoinedRow
    rows => {
      clear(EmptyRow)
      rows.foreach(row => update(joined(state, row)))
      evaluate(state).get(0, of.dataType)
    }
  }

  private def projection(values: Seq[Expression], input: Seq[Attribute]): MutableProjection =
    if (isGenerated) MutableProjection.create(values, input)
    else new InterpretedMutableProjection(values, input)

  private def ofObject(of: ImperativeAggregate): Iterable[InternalRow] => Any = {
    val bound = BindReferences.bindReference(of, input)
    val state = new GenericInternalRow(of.aggBufferAttributes.size)
    rows => {
      bound.initialize(state)
      rows.foreach(bound.update(state, _))
      bound.eval(state)
    }
  }
}
