package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.plans.logical._

/** The nodes of a query's plan that stand for tables. */
private[refresh] object SourceTables {

  /** The nodes of the table that the query reads under the name. */
  def named(name: String, query: LogicalPlan): Seq[LogicalPlan] = {
    val parts = Names.parts(name).map(Names.folded)
    val found = outermost(query) {
      case alias: SubqueryAlias =>
        val all = (alias.identifier.qualifier :+ alias.identifier.name).map(Names.folded)
        all.endsWith(parts) || parts.endsWith(all) && isTable(alias.child)
      case _ => false
    }
    if (found.isEmpty)
      RefusedRefresh.refuse(s"the query does not read the table $name", s"a name among ${namesIn(query)}")
    found
  }

  /** The only table that the query reads. A view may be the table if it has the columns, or have a query that reads it. */
  def only(query: LogicalPlan, columns: Seq[String]): LogicalPlan = {
    val names = columns.map(Names.folded).toSet
    val tables = query.collect {
      case node @ (_: View | _: LeafNode) if !node.isInstanceOf[OneRowRelation] => node
    }
    val leaves = tables.filter(_.children.isEmpty)
    if (leaves.size != 1)
      RefusedRefresh.refuse(
        s"the query reads ${leaves.size} tables, and the changes do not say which",
        s"the name of the changed table with its changes: ${namesIn(query)}"
      )
    tables.find(_.output.forall(a => names(Names.folded(a.name)))).getOrElse(tables.head)
  }

  private def namesIn(query: LogicalPlan): String = {
    val names = query.collect {
      case alias: SubqueryAlias if isTable(alias.child) => alias.identifier.toString
    }
    if (names.isEmpty) "none has a name" else names.distinct.mkString(", ")
  }

  private def isTable(plan: LogicalPlan): Boolean = plan match {
    case _: View              => true
    case alias: SubqueryAlias => isTable(alias.child)
    case other                => other.children.isEmpty
  }

  private def outermost(plan: LogicalPlan)(isFound: LogicalPlan => Boolean): Seq[LogicalPlan] =
    if (isFound(plan)) Seq(plan) else plan.children.flatMap(outermost(_)(isFound))
}
