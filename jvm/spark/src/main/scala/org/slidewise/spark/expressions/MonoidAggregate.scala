package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.DataType

/**
 * An aggregate function in the three steps of Tangwongsan, Hirzel and Schneider ("In-Order Sliding-Window Aggregation in
 * Worst-Case Constant Time", section 2.2): lift a row to a state, combine states, lower a state to an answer.
 *
 * One definition serves rows and states: a row is combined as the state that it is lifted to. The state of no rows is known by
 * a null in its first field, and is the identity; the other steps never see it. Everything is an expression, so that it runs in
 * Spark's generated code.
 */
abstract class MonoidAggregate extends DeclarativeAggregate {

  /** The fields of a state; the first is null only in the state of no rows. */
  protected def fields: Seq[(String, DataType)]

  /** Whether a row leaves no trace. */
  protected def skips: Expression

  /** The state of one row that is not skipped. */
  protected def lift: Seq[Expression]

  /** The state of the rows of `older` followed by those of `newer`, neither of which is empty. */
  protected def combine(older: State, newer: State): Seq[Expression]

  /** The answer of a state that is not empty. */
  protected def lower(state: State): Expression

  /** The answer of no rows. */
  protected def ofNothing: Literal = Literal.create(null, dataType)

  override def nullable: Boolean = ofNothing.value == null

  final override lazy val aggBufferAttributes: Seq[AttributeReference] =
    fields.map { case (name, dataType) => AttributeReference(name, dataType)() }

  final override lazy val initialValues: Seq[Expression] =
    fields.map { case (_, dataType) => Literal.create(null, dataType) }

  final override lazy val updateExpressions: Seq[Expression] = {
    val lifted = lift
    val combined = combine(state, new State(names, lifted))
    aggBufferAttributes.indices.map { i =>
      val appended = If(isEmpty(aggBufferAttributes), lifted(i), combined(i))
      if (skips == Literal.FalseLiteral) appended else If(skips, aggBufferAttributes(i), appended)
    }
  }

  final override lazy val mergeExpressions: Seq[Expression] = {
    val newer = inputAggBufferAttributes
    val combined = combine(state, new State(names, newer))
    aggBufferAttributes.indices.map { i =>
      val older = aggBufferAttributes(i)
      CaseWhen(Seq(isEmpty(newer) -> older, isEmpty(aggBufferAttributes) -> newer(i)), combined(i))
    }
  }

  final override lazy val evaluateExpression: Expression =
    If(isEmpty(aggBufferAttributes), ofNothing, lower(state))

  /** An argument that was left out is not shown. */
  override protected def stringArgs: Iterator[Any] = children.iterator

  private def names = fields.map(_._1)
  private def state = new State(names, aggBufferAttributes)
  private def isEmpty(of: Seq[Expression]) = IsNull(of.head)

  /** That one of `of` is null; constant where none can be. */
  protected def anyNull(of: Expression*): Expression =
    of.filter(_.nullable).map(IsNull(_)).reduceOption[Expression](Or(_, _)).getOrElse(Literal.FalseLiteral)
}

/** The fields of a state by their names. */
final class State(names: Seq[String], fields: Seq[Expression]) {
  def apply(name: String): Expression = fields(names.indexOf(name))
}
