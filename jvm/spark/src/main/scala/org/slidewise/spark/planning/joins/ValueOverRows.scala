package org.slidewise.spark.planning.joins

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.trees.TreePattern.{CURRENT_LIKE, PYTHON_UDF}
import org.apache.spark.sql.types.{DataType, DateType, StringType, TimestampNTZType, TimestampType}

import org.slidewise.spark.expressions.{DistinctAggregate, FunctionOverRows}
import org.slidewise.spark.planning.WindowCall
import org.slidewise.spark.shims.CommonExpressions

/**
 * The value of an aggregate for a left row without right rows. In this case, Spark's rewrites of subqueries return a default value,
 * and outer joins return a row of nulls.
 *
 * @param columns
 *   the columns of a right row
 */
final private[joins] class ValueOverRows(aggregate: AggregateExpression, columns: Seq[Attribute]) {
  private val nullable = columns.map(_.withNullability(true))
  private lazy val over =
    new FunctionOverRows(
      ValueOverRows.evaluableOf(aggregate),
      nullable,
      isGenerated = false
    )

  /** The value over no rows. */
  def none: Try[Literal] = value(0)

  /** The value over a number of rows that have only nulls. */
  def nulls(rows: Int): Try[Literal] = Try {
    val row = InternalRow.fromSeq(columns.map(_ => null))
    val counts = aggregate.filter.forall { f =>
      java.lang.Boolean.TRUE == BindReferences
        .bindReference(ValueOverRows.evaluable(withNulls(f)), nullable)
        .eval(row)
    }
    if (counts) rows else 0
  }.flatMap(value)

  private def value(rows: Int): Try[Literal] =
    Try(Literal(over(Seq.fill(rows)(InternalRow.fromSeq(columns.map(_ => null)))), aggregate.dataType))

  private def withNulls(e: Expression): Expression = e.transform { case a: Attribute =>
    a.withNullability(true)
  }

  /** The value that Spark returns for a correlated subquery without rows. */
  def default: Literal =
    WindowCall
      .replaced(aggregate.aggregateFunction)
      .defaultResult
      .getOrElse(Literal.create(null, aggregate.dataType))
}

private[joins] object ValueOverRows {

  /** The aggregates in `expressions`, each once. */
  def aggregatesIn(expressions: Seq[Expression]): Seq[AggregateExpression] =
    ExpressionSet(expressions.flatMap(_.collect { case a: AggregateExpression => a })).toSeq
      .collect { case a: AggregateExpression => a }

  /** The function in the form that [[FunctionOverRows]] evaluates. */
  def evaluableOf(aggregate: AggregateExpression): AggregateFunction =
    evaluable(WindowCall.replaced(functionOf(aggregate))).asInstanceOf[AggregateFunction]

  // The optimizer has not replaced functions such as `nullif` yet.
  private def evaluable(e: Expression): Expression = e.transform { case replaceable: RuntimeReplaceable =>
    evaluable(CommonExpressions.inlined(replaceable.replacement))
  }

  /** Whether the function can be evaluated outside the operators for which Spark's rules prepare its arguments. */
  def isEvaluable(function: AggregateFunction): Boolean =
    !function.containsAnyPattern(CURRENT_LIKE, PYTHON_UDF) && !function.children.exists(_.exists {
      case _: Attribute   => false
      case _: Unevaluable => true
      case cast: Cast     => isSpecialTime(cast)
      case _              => false
    })

  /** Whether Spark's optimizer may replace the text by a time, such as 'today'. */
  private def isSpecialTime(cast: Cast): Boolean =
    cast.child.foldable && cast.child.dataType == StringType && (cast.dataType match {
      case DateType | TimestampType | TimestampNTZType => true
      case _                                           => false
    })

  /** The aggregate at two times of the query; the aggregate alone if it does not read them. */
  def atSomeTimes(aggregate: AggregateExpression): Seq[AggregateExpression] = {
    def at(time: DataType => Literal) = aggregate.transform {
      case e if e.containsPattern(CURRENT_LIKE) && !e.children.exists(_.containsPattern(CURRENT_LIKE)) =>
        time(e.dataType)
    }
    if (aggregate.containsPattern(CURRENT_LIKE))
      Seq(at(Literal.default), at(Literal.create(null, _))).collect { case a: AggregateExpression => a }
    else Seq(aggregate)
  }

  /** The function in the form that a window evaluates. */
  def functionOf(aggregate: AggregateExpression): AggregateFunction =
    if (aggregate.isDistinct) DistinctAggregate(aggregate.aggregateFunction) else aggregate.aggregateFunction
}
