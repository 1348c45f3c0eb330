package org.slidewise.spark.refresh

import scala.util.control.NonFatal

import org.apache.spark.sql.{functions, AnalysisException, DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.quoteIdentifier

import org.slidewise.spark.shims.{LogicalData, SparkSessions}

/** Generated columns of tables. In each row, an expression over other columns determines their value, such as the day of a time. */
final private[refresh] class GeneratedColumns private (
    found: Seq[(LogicalPlan, Seq[(Attribute, Expression)])]
) {
  private val expressions = found.flatMap(_._2).map { case (column, e) => column.exprId -> e }.toMap

  /** The canonical expression `e`, with generated columns replaced by their expressions. */
  def replacedIn(e: Expression): Expression =
    if (expressions.isEmpty) e
    else e.transform { case a: AttributeReference => expressions.getOrElse(a.exprId, a) }.canonicalized

  def isOf(node: LogicalPlan): Boolean = found.exists(_._1 eq node)

  /**
   * The node of a table in `plan`, with a filter that prunes partitions whose rows have no key in the range.
   *
   * @param key
   *   the order key, over the columns of `plan`
   * @param keepNulls
   *   whether rows with a null key stay
   */
  def pruned(
      plan: LogicalPlan,
      node: LogicalPlan,
      key: Expression,
      range: KeyRange,
      keepNulls: Boolean
  ): LogicalPlan = {
    val columns = found.collect { case (table, columns) if table eq node => columns }.flatten
    val condition = for {
      path <- QueryPath.filterable(plan, node) if columns.nonEmpty
      limits <- Monotone.within(columns, path.definitionOf(key), range, keepNulls)
    } yield limits
    condition.fold(node)(Filter(_, node))
  }
}

private[refresh] object GeneratedColumns {

  /**
   * @param tables
   *   nodes of tables, each with the expressions of some of its columns in SQL
   */
  def of(session: SparkSession, tables: Seq[(LogicalPlan, Map[String, String])]): GeneratedColumns =
    new GeneratedColumns(tables.map { case (node, columns) =>
      node -> columns.toSeq.map { case (name, sql) => generated(session, node, name, sql) }
    })

  /** The changed rows of a table. Reading a row raises an error if the value of a generated column differs from its expression. */
  def checked(rows: DataFrame, columns: Map[String, String]): DataFrame =
    columns.foldLeft(rows) { case (kept, (name, text)) =>
      val column = quoteIdentifier(name)
      val found =
        s"concat('$Other', ${sqlText(name)}, ' = ', CAST($column AS STRING), ', ', ${sqlText(text)}, ' = ', CAST($text AS STRING))"
      kept.where(s"IF($column <=> ($text), true, CAST(raise_error($found) AS BOOLEAN))")
    }

  /** The start of the error message if a changed row contradicts a generated column. */
  val Other = "a changed row has another value than that of its generated column: "

  private def sqlText(text: String): String = Literal(text).sql

  private def generated(
      session: SparkSession,
      node: LogicalPlan,
      name: String,
      text: String
  ): (Attribute, Expression) = {
    val column = node.output.find(a => Names.folded(a.name) == Names.folded(name)).getOrElse {
      RefusedRefresh.refuse(
        s"the generated column $name is no column of its table",
        s"one of ${node.output.map(_.name).mkString(", ")}"
      )
    }
    val e =
      try
        SparkSessions.queryOf(LogicalData.of(session, node).select(functions.expr(text))).analyzed match {
          case Project(Seq(alias: Alias), _) => alias.child
          case Project(Seq(other), _)        => other
          case _                             => unusable(name, text)
        }
      catch {
        case NonFatal(error @ (_: AnalysisException | _: ParseException)) => unusable(name, text, Some(error))
      }
    if (!e.deterministic || e.references.isEmpty || e.references.contains(column)) unusable(name, text)
    if (e.dataType != column.dataType)
      RefusedRefresh.refuse(
        s"the generated column $name is ${column.dataType.sql}, and $text is ${e.dataType.sql}",
        "an expression of the type of the column"
      )
    column -> e.canonicalized
  }

  private def unusable(name: String, text: String, cause: Option[Throwable] = None): Nothing =
    RefusedRefresh.refuse(
      s"$text is no expression for the generated column $name${cause.fold("")(c => s": ${c.getMessage}")}",
      "an expression with one value for a row, over other columns of the table"
    )
}
