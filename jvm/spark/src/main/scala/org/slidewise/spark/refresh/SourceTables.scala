package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.plans.logical._

/** Finds the nodes of a query's plan that read tables. */
private[refresh] object SourceTables {

  /** The nodes that read the table called `name` in the query; if there is no such table, the subqueries with this name. */
  def named(name: String, query: LogicalPlan): Seq[LogicalPlan] = {
    val parts = Names.parts(name).map(Names.folded)
    def namesOf(alias: SubqueryAlias) =
      (alias.identifier.qualifier :+ alias.identifier.name).map(Names.folded)
    val tables = outermost(query) {
      case alias: SubqueryAlias if isTable(alias.child) =>
        val all = namesOf(alias)
        all.endsWith(parts) || parts.endsWith(all)
      case _ => false
    }
    val found =
      if (tables.nonEmpty) tables
      else
        outermost(query) {
          case alias: SubqueryAlias => namesOf(alias).endsWith(parts)
          case _                    => false
        }
    if (found.isEmpty)
      RefusedRefresh.refuse(s"the query does not read the table $name", s"a name among ${namesIn(query)}")
    found
  }

  /** The only table that the query reads: the only view or table with the columns, or else the only table below all views. */
  def only(query: LogicalPlan, columns: Seq[String]): LogicalPlan = {
    val names = columns.map(Names.folded).toSet
    def isSource(node: LogicalPlan) = node match {
      case _: OneRowRelation     => false
      case _: View | _: LeafNode => true
      case _                     => false
    }
    val alike =
      outermost(query)(node => isSource(node) && node.output.forall(a => names(Names.folded(a.name))))
    val leaves = query.collectLeaves().filter(isSource)
    (alike, leaves) match {
      case (Seq(one), _) => one
      case (_, Seq(_))   => outermost(query)(isSource).head
      case _             =>
        RefusedRefresh.refuse(
          s"the query reads ${leaves.size} tables, and the changes do not say which",
          s"the name of the changed table with its changes: ${namesIn(query)}"
        )
    }
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
