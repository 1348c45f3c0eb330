package org.slidewise.spark.execution.hopping

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StructType

import org.slidewise.spark.expressions.GuardedCondition
import org.slidewise.spark.plan.HoppingWindowPlan

/** The columns of a key and a window, with the window's start and end as two columns in place of a struct. */
final private[execution] class WindowColumns(plan: HoppingWindowPlan) extends Serializable {
  private val bounds = plan.window.dataType.asInstanceOf[StructType].fields.toSeq.map { field =>
    AttributeReference(field.name, field.dataType, nullable = false)()
  }

  /** The columns of the key, and the window's start and end. */
  val group: Seq[Attribute] = plan.keys ++ bounds

  /** The filter on the windows, over rows of `group`. */
  def condition: BasePredicate =
    GuardedCondition.predicate(plan.output.condition.fold[Expression](Literal.TrueLiteral)(inFields), group)

  /** Rewrites `expression` in terms of `group`. */
  def inFields(expression: Expression): Expression = expression.transform {
    case GetStructField(column, ordinal, _) if isWindow(column) => bounds(ordinal)
    case column if isWindow(column)                             =>
      CreateNamedStruct(bounds.flatMap(bound => Seq(Literal(bound.name), bound)))
  }

  private def isWindow(expression: Expression): Boolean = expression match {
    case column: Attribute => column.exprId == plan.window.exprId
    case _                 => false
  }
}
