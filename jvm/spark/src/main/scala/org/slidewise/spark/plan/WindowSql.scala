package org.slidewise.spark.plan

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.CalendarInterval

/** Formats the window expressions of a plan as a person would write them. */
private[spark] object WindowSql extends AdaptiveSparkPlanHelper {

  /**
   * @param extracted
   *   the expressions that Spark's analyzer has replaced by columns: see [[definitions]]
   */
  def apply(expression: NamedExpression, extracted: Map[ExprId, Expression]): String = {
    def said(e: Expression): String = readable(e, extracted)
    expression match {
      case Alias(WindowExpression(function, WindowSpecDefinition(partition, order, frame)), _) =>
        val parts = Seq(
          if (partition.isEmpty) "" else partition.map(said).mkString("PARTITION BY ", ", ", ""),
          if (order.isEmpty) "" else order.map(said).mkString("ORDER BY ", ", ", ""),
          of(frame)
        )
        s"${said(function)} OVER (${parts.filter(_.nonEmpty).mkString(" ")})"
      case other => said(other)
    }
  }

  /** A part of a window expression as a person would write it. */
  def readable(part: Expression, extracted: Map[ExprId, Expression]): String =
    part.transformUp { case a: AttributeReference => extracted.getOrElse(a.exprId, a.withQualifier(Nil)) }.sql

  /** The prefixes of the names of tables that Spark and the Python package make up. */
  private val Generated = Seq("__auto_generated", "slidewise_")

  /** An aggregate of a window join as a person would write it, with the names of the tables. */
  def ofJoin(call: Expression, extracted: Map[ExprId, Expression]): String = {
    def named(e: Expression, table: String): Expression = e.transformUp { case a: AttributeReference =>
      val names = a.qualifier.takeRight(1).filterNot(name => Generated.exists(name.startsWith))
      extracted.getOrElse(a.exprId, a.withQualifier(if (names.isEmpty) Seq(table) else names))
    }
    call match {
      case framed: FramedAggregate =>
        val bounds = framed.children.collect { case value: RowValue => named(value, "left") }
        val rest = framed.children.filterNot(_.isInstanceOf[RowValue]).map(named(_, "right"))
        framed.withNewChildren(rest ++ bounds).sql
      case other => readable(other, extracted)
    }
  }

  /**
   * The expressions that Spark's analyzer has moved out of window expressions, by the columns that replace them. Visits each node of
   * the plan, so call it once for all windows of a plan.
   */
  def definitions(plan: SparkPlan): Map[ExprId, Expression] =
    definitionsIn(collectWithSubqueries(plan) { case node => node.expressions }.flatten)

  def definitions(plan: LogicalPlan): Map[ExprId, Expression] =
    definitionsIn(plan.collect { case node => node.expressions }.flatten)

  /** The definitions of some columns, searched from `plan` down until all are found. */
  def definitions(columns: Iterable[Attribute], plan: LogicalPlan): Map[ExprId, Expression] = {
    val named = columns.filter(column => isMoved(column.name)).map(_.exprId)
    def visit(node: LogicalPlan, found: Map[ExprId, Expression]): Map[ExprId, Expression] =
      if (named.forall(found.contains)) found
      else node.children.foldLeft(found ++ definitionsIn(node.expressions))((all, child) => visit(child, all))
    visit(plan, Map.empty)
  }

  private def definitionsIn(expressions: Seq[Expression]): Map[ExprId, Expression] = {
    val moved = expressions.collect {
      case alias @ Alias(child, name) if isMoved(name) => alias.exprId -> child
    }
    // Physical aggregations hold their functions apart from the named results.
    lazy val aggregates =
      expressions.flatMap(_.collect { case a: AggregateExpression => a.resultId -> a }).toMap
    moved.map { case (id, child) =>
      id -> child.transform { case a: AttributeReference =>
        aggregates.getOrElse(a.exprId, a.withQualifier(Nil))
      }
    }.toMap
  }

  /** Whether Spark's analyzer has moved the expression out of a window. */
  def isExtracted(column: NamedExpression): Boolean = column.isInstanceOf[Alias] && isMoved(column.name)

  private def isMoved(name: String): Boolean = Moved.matcher(name).matches

  private val Moved = java.util.regex.Pattern.compile("_w\\d+")

  /** A frame as a person would write it. */
  def of(frame: Expression): String = frame match {
    case SpecifiedWindowFrame(kind, lower, upper) =>
      s"${kind.sql} BETWEEN ${bound(lower)} AND ${bound(upper)}"
    case other => other.sql
  }

  private def bound(bound: Expression): String = bound match {
    case special: SpecialFrameBoundary => special.sql
    case Negative(distance)            => s"${distance.sql} PRECEDING"
    case UnaryMinus(distance, _)       => s"${distance.sql} PRECEDING"
    case other                         => s"${other.sql} FOLLOWING"
  }

  /**
   * The distance of a bound before the current row. The least value of a type has no such distance, because its negation exceeds
   * the type.
   */
  private object Negative {
    def unapply(bound: Literal): Option[Literal] =
      if (isNegative(bound.value))
        Try(UnaryMinus(bound, failOnError = true).eval()).toOption.map(Literal(_, bound.dataType))
      else None
  }

  private def isNegative(value: Any): Boolean = value match {
    case n: Number           => n.doubleValue < 0
    case i: CalendarInterval => i.months < 0 || i.days < 0 || i.microseconds < 0
    case d: Decimal          => d.toDouble < 0
    case _                   => false
  }
}
