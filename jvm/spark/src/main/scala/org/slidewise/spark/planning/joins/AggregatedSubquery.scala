package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical.Aggregate
import org.apache.spark.sql.types.{DoubleType, FloatType}

import org.slidewise.spark.expressions.{GroupingKeys, RowsOfFrame}
import org.slidewise.spark.shims.SparkCollations

/**
 * Converts correlated subqueries that aggregate their rows into one row. With a GROUP BY of columns that the equal keys determine,
 * they return one row or none.
 */
private[joins] object AggregatedSubquery {
  import FramedSubquery.isPlain
  import OuterCondition.isOuter

  /** The subquery in the form of a window; or the reason why it has no such form. */
  def of(aggregate: Aggregate): Either[String, FramedSubquery] =
    for {
      _ <- Either.cond(aggregate.expressions.forall(isPlain), (), "the subquery is not deterministic")
      rows <- FramedSubquery.inputOf(aggregate.child)
      groups <- groupsOf(aggregate.groupingExpressions, rows.condition)
      distinct = ValueOverRows.aggregatesIn(aggregate.aggregateExpressions)
      _ <- distinct.find(isOuter(_)).map(a => s"${a.sql} aggregates values of both tables").toLeft(())
      _ <- Either.cond(distinct.nonEmpty || groups.nonEmpty, (), "the subquery has no aggregate function")
    } yield {
      val calls = distinct.map(a => a -> rows.condition.call(ValueOverRows.functionOf(a), a.filter))
      val count = rows.condition.call(RowsOfFrame.count)
      val values = calls.map { case (a, call) =>
        val over = new ValueOverRows(a, rows.input.output)
        val hasDefault = groups.isEmpty && !over.none.toOption.contains(over.default)
        a.canonicalized ->
          (if (hasDefault) If(GreaterThan(count.toAttribute, Literal(0L)), call.toAttribute, over.default)
           else call.toAttribute)
      }
      val known = (values ++ groups.map { case (e, call) => e.canonicalized -> call.toAttribute })
        .toMap[Expression, Expression]
      val results =
        aggregate.aggregateExpressions.map(column => FramedSubquery.asNamedLeft(over(known, column)))
      val found =
        if (groups.isEmpty) None else Some(rows.condition.call(RowsOfFrame.last(Literal.TrueLiteral)))
      val counts = Some(count).filter(c => results.exists(_.references.contains(c.toAttribute)))
      FramedSubquery(
        rows.input,
        rows.own,
        rows.condition,
        calls.map(_._2) ++ groups.map(_._2) ++ counts ++ found,
        results,
        found.map(_.toAttribute)
      )
    }

  private def over(known: Map[Expression, Expression], column: NamedExpression): NamedExpression =
    column match {
      case a: Attribute =>
        known.get(a.canonicalized).fold[NamedExpression](a)(Alias(_, a.name)(a.exprId, a.qualifier))
      case other =>
        other
          .transformDown { case e if known.contains(e.canonicalized) => known(e.canonicalized) }
          .asInstanceOf[NamedExpression]
    }

  /** The grouping expressions, each with the call that returns its value; or the reason why there may be several groups. */
  private def groupsOf(
      grouping: Seq[Expression],
      condition: OuterCondition
  ): Either[String, Seq[(Expression, Alias)]] =
    grouping.find(e => isOuter(e) || !isBound(e, condition)) match {
      case Some(e) =>
        Left(
          s"GROUP BY ${e.sql} may return several rows; only columns of the equalities of the two tables may be grouped by"
        )
      case None =>
        Right(grouping.map(e => e -> condition.call(RowsOfFrame.last(GroupingKeys.normalized(e)))))
    }

  /** Whether all rows with the same keys have the same value of `e`, and Spark returns this value for their group. */
  private def isBound(e: Expression, condition: OuterCondition): Boolean = {
    val key = GroupingKeys.normalized(e)
    val keepsValue = GroupingKeys.isNormal(e) && SparkCollations.isBinaryStable(e.dataType)
    def isKey(of: Expression) = condition.rightKeys.exists(OuterCondition.narrow(_).semanticEquals(of))
    // The two parts of a null-safe key.
    def areKeys(of: Expression) = condition.rightKeys.exists {
      case IsNull(nullSafe) =>
        OuterCondition.narrow(nullSafe).semanticEquals(of) && OuterCondition
          .key(nullSafe, nullSafe = true)
          .forall(part => condition.rightKeys.exists(_.semanticEquals(part)))
      case _ => false
    }
    (keepsValue || e.dataType == FloatType || e.dataType == DoubleType) && (isKey(key) || areKeys(e))
  }
}
