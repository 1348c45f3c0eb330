package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}

/**
 * A condition whose operands are evaluated in order, as in the generated code of Spark's filters: an operand of AND or OR may guard
 * those after it against errors. Spark's projections and predicates would evaluate a part that occurs twice before all others.
 */
case class GuardedCondition(child: Expression) extends TaggingExpression with ConditionalExpression {
  override def alwaysEvaluatedInputs: Seq[Expression] = Nil
  override def branchGroups: Seq[Seq[Expression]] = Nil

  /** Overrides Spark's method since 4.0. */
  def withNewAlwaysEvaluatedInputs(inputs: Seq[Expression]): ConditionalExpression = this

  override def sql: String = child.sql
  override def toString: String = child.toString

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = child.genCode(ctx)
  override protected def withNewChildInternal(newChild: Expression): GuardedCondition = copy(newChild)
}

object GuardedCondition {

  /** Evaluates `condition` over rows of `input`. */
  def predicate(condition: Expression, input: Seq[Attribute]): BasePredicate =
    Predicate.create(GuardedCondition(condition), input)

  /** `value` where `condition` is true, else null. */
  def valueIf(condition: Expression, value: Expression): Expression =
    If(GuardedCondition(condition), value, Literal.create(null, value.dataType))
}
