package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan._

/**
 * The identities of the operators of a streaming query, in canonical form. Computed once, when the query starts. The optimizer runs
 * for each batch, replaces `now()` by a value, and adds columns with numbered names.
 */
final private[streams] class StreamIdentities(plan: LogicalPlan) {
  private lazy val common = CanonicalColumns.commonIn(plan)
  private lazy val columns = new CanonicalColumns(plan, common)

  private def columnsBelow(node: LogicalPlan): Map[ExprId, Identity] =
    columns.below(node).getOrElse(new CanonicalColumns(node, common).below(node).get)

  private def identity(expression: Expression, columns: Map[ExprId, Identity]) = Identity(
    new CanonicalForm(columns.get)(expression),
    ColumnText.in(expression, columns.get) match {
      case AggregateExpression(function, _, false, None, _) => Families.of(function).sql
      case other                                            => WindowSql.readable(other, Map.empty)
    }
  )

  /**
   * The plan with the windows of one `SELECT` in an order that does not depend on the order of their expressions. Each window is an
   * operator with its own state, which the checkpoint identifies by the operator's position. Windows that wait for rows without
   * limit come last.
   */
  def ordered: LogicalPlan = {
    def visit(node: LogicalPlan): LogicalPlan = node match {
      case top: StreamOutput =>
        val stack = stackOf(top, AttributeSet.empty)
        val input = stack.lastOption.map(_.child.asInstanceOf[StreamInput])
        val known = if (stack.size > 1) columnsBelow(stack.last) else Map.empty[ExprId, Identity]
        val sorted = stack.reverse.sortBy(placeOf(_, known))
        if (stack.size < 2 || sorted == stack.reverse) top.mapChildren(visit)
        else
          Project(
            top.output,
            sorted.foldLeft(visit(input.get.child))((below, window) =>
              StreamOutput(window.withNewChildren(Seq(StreamInput(below))))
            )
          )
      case other => other.mapChildren(visit)
    }
    visit(plan)
  }

  /** Adjacent windows that do not read each other's results, from the top down. */
  private def stackOf(node: LogicalPlan, read: AttributeSet): Seq[Window] = node match {
    case StreamOutput(window: Window) if read.intersect(window.windowOutputSet).isEmpty =>
      window.child match {
        case input: StreamInput => window +: stackOf(input.child, read ++ window.references)
        case _                  => Nil
      }
    case _ => Nil
  }

  private def placeOf(window: Window, columns: Map[ExprId, Identity]): (Boolean, String) = {
    val form = new CanonicalForm(columns.get)
    (StreamCheck.waitsForRows(window), (window.partitionSpec ++ window.orderSpec).map(form(_)).mkString(","))
  }

  /** The plan with the identity of each window in the window's input. */
  def inWindows: LogicalPlan = {
    def visit(node: LogicalPlan): LogicalPlan = node match {
      case window: Window =>
        window.child match {
          case input: StreamInput =>
            val columns = input.child.output
            val identity = ofWindow(window, columns, columnsBelow(window))
            window.withNewChildren(Seq(StreamInput(visit(input.child), columns, Some(identity))))
          case _ => window.mapChildren(visit)
        }
      case other => other.mapChildren(visit)
    }
    visit(plan)
  }

  private def ofWindow(window: Window, columns: Seq[Attribute], known: Map[ExprId, Identity]) =
    StreamIdentity(
      columns.map(column => known.getOrElse(column.exprId, identity(column, known))),
      window.windowExpressions.collect { case alias @ Alias(call: WindowExpression, _) =>
        alias.exprId -> identity(call.windowFunction, known)
      }.toMap
    )

  /** The identities of the streaming aggregations. */
  def ofAggregations: Seq[AggregationIdentity] = plan.collect {
    case aggregate: Aggregate if aggregate.isStreaming =>
      val calls = aggregate.aggregateExpressions.flatMap(_.collect { case call: AggregateExpression => call })
      ofAggregation(aggregate.groupingExpressions, calls, columnsBelow(aggregate))
    case distinct: Distinct if distinct.isStreaming =>
      ofAggregation(distinct.output, Nil, columnsBelow(distinct))
  }

  private def ofAggregation(
      keys: Seq[Expression],
      calls: Seq[AggregateExpression],
      columns: Map[ExprId, Identity]
  ) = AggregationIdentity(
    keys.map(identity(_, columns)),
    calls.map(call => call.resultId -> identity(call, columns)).toMap,
    keys.collect { case column: Attribute => column.exprId }.toSet
  )
}
