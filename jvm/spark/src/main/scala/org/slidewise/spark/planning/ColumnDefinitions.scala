package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._

/** The definitions of the columns of an operator, which can replace the columns in expressions above it. */
final private[spark] class ColumnDefinitions(values: AttributeMap[Expression]) {

  /** `e`, over the input of the operator. */
  def in(e: Expression): Expression = e.transform { case a: Attribute => values.getOrElse(a, a) }

  /** The column, over the input of the operator, with its name and identifier. */
  def inNamed(column: NamedExpression): NamedExpression = column match {
    case a: Attribute => values.get(a).fold[NamedExpression](a)(Alias(_, a.name)(a.exprId, a.qualifier))
    case other        => in(other).asInstanceOf[NamedExpression]
  }

  /** Whether the expressions stay small. Along a chain of projections that each read a column twice, they double in size at each. */
  def fitIn(expressions: Seq[Expression]): Boolean = {
    val sizes = AttributeMap(values.toSeq.map { case (a, value) => a -> ColumnDefinitions.size(value) })
    expressions.foldLeft(0L)(_ + ColumnDefinitions.size(_, sizes.getOrElse(_, 1L))) <=
      ColumnDefinitions.LargestSize
  }
}

private[spark] object ColumnDefinitions {

  /** The maximum size of expressions in which definitions replace columns. A thousand columns have a smaller one. */
  val LargestSize = 50000L

  /** The number of nodes of the expression, of which columns count as `ofColumn`. */
  def size(e: Expression, ofColumn: Attribute => Long = _ => 1L): Long = e match {
    case a: Attribute => ofColumn(a)
    case other        => other.children.foldLeft(1L)(_ + size(_, ofColumn))
  }

  def of(columns: Seq[NamedExpression]): ColumnDefinitions =
    new ColumnDefinitions(AttributeMap(columns.collect { case alias: Alias =>
      alias.toAttribute -> withoutCasts(alias.child)
    }))

  /** The expression without casts to its own type, in which a view wraps its columns. */
  private def withoutCasts(e: Expression): Expression = e match {
    case cast: Cast if cast.dataType == cast.child.dataType => withoutCasts(cast.child)
    case other                                              => other
  }
}
