package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.DataType

/**
 * A declarative aggregate in the three steps of Tangwongsan, Hirzel and Schneider ("In-Order Sliding-Window Aggregation in
 * Worst-Case Constant Time", section 2.2): lift a row to a state, combine states, lower a state to a result.
 *
 * Update and merge derive from `combine`: a row is combined as the state to which it is lifted. A state with a null in its first
 * field is the identity, the state of no rows, and is handled here. Every step is an expression, which Spark compiles.
 */
abstract class MonoidAggregate extends DeclarativeAggregate {

  /** The fields of a state; the first is null only in the state of no rows. */
  protected def fields: Seq[(String, DataType)]

  /** Whether a row is skipped. */
  protected def skips: Expression

  /** The state of one row that is not skipped. */
  protected def lift: Seq[Expression]

  /** The state of the rows of `older` followed by the rows of `newer`. Neither of the two is empty. */
  protected def combine(older: State, newer: State): Seq[Expression]

  /** The result of a state that is not empty. */
  protected def lower(state: State): Expression

  /** The result of no rows. */
  protected def emptyResult: Literal = Literal.create(null, dataType)

  override def nullable: Boolean = emptyResult.value == null

  // Spark's subqueries and several DISTINCTs replace the null of a join without rows by it.
  final override def defaultResult: Option[Literal] = Some(emptyResult).filter(_.value != null)

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
    If(isEmpty(aggBufferAttributes), emptyResult, lower(state))

  /** Omits optional arguments that were not given. */
  override protected def stringArgs: Iterator[Any] = children.iterator

  private def names = fields.map(_._1)
  private def state = new State(names, aggBufferAttributes)
  private def isEmpty(of: Seq[Expression]) = IsNull(of.head)

  /** Whether one of the expressions is null; a literal false if none is nullable. */
  protected def anyNull(of: Expression*): Expression =
    of.filter(_.nullable).map(IsNull(_)).reduceOption[Expression](Or(_, _)).getOrElse(Literal.FalseLiteral)
}

/** The fields of a state by name. */
final class State(names: Seq[String], fields: Seq[Expression]) {
  def apply(name: String): Expression = fields(names.indexOf(name))
}
