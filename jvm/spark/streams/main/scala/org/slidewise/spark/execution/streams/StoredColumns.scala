package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.types.TimestampType

import org.slidewise.spark.plan._

/** Describes the parts of a physical plan by the identities of their columns in the analyzed plan. */
final private[streams] class StoredColumns(known: ExprId => Option[Identity]) {
  private[this] val form = new CanonicalForm(known)

  def identity(expression: Expression): Identity = Identity(form(expression), named(expression).sql)

  def input(column: Expression): StoredInput =
    StoredInput(identity(column), CanonicalForm.storedType(column.dataType))

  /** The identity of a frame. It includes the time zone if a bound depends on it, as with days or months. */
  def frame(frame: Frame): Identity = {
    val zone = frame.keyBounds
      .find(bound => bound.order.dataType == TimestampType && bound.shift.isEmpty)
      .map(_.timeZone)
    Identity(
      form(frame.specified) + zone.fold("")(name => s" in ${CanonicalForm.quoted(name)}"),
      WindowSql.of(frame.specified)
    )
  }

  /** The identity of a function that does not occur in this form in the query. */
  def function(a: PlannedAggregate): Identity = Identity(
    form(a.function) + a.filter.fold("")(f => s" filter(${form(f)})"),
    a.description.sqlOf(named(a.function)) +
      a.filter.fold("")(f => s" FILTER (WHERE ${named(f).sql})")
  )

  def stored(
      owner: Identity,
      part: Int,
      description: FunctionDescription,
      guard: Option[AggregateFunction] = None
  ): StoredFunction = StoredFunction(
    owner,
    part,
    description.ofState.getClass.getName,
    bufferOf(description.aggregate),
    description.objectType,
    guard.toSeq.flatMap(bufferOf)
  )

  // Some functions name fields of their buffer by the SQL of their arguments.
  private def bufferOf(function: AggregateFunction): Seq[StoredColumn] = {
    val arguments = function.children.map(_.sql).toSet
    function.aggBufferAttributes.map { a =>
      StoredColumn(
        if (arguments.contains(a.name)) "argument" else a.name,
        CanonicalForm.storedType(a.dataType)
      )
    }
  }

  private def named(expression: Expression) = ColumnText.in(expression, known)
}
