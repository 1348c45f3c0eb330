package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.types.DataTypeUtils

/**
 * A table that a query reads and of which rows have changed: the nodes of the query's plan that stand for the table, and the changed
 * rows under the names of its columns.
 */
final private[refresh] case class ChangedSource(name: String, nodes: Seq[LogicalPlan], changes: LogicalPlan) {

  /** The changed rows with the columns of a node. */
  def rows(node: LogicalPlan): LogicalPlan = {
    val byName = changes.output.groupBy(a => Names.folded(a.name))
    val columns = node.output.map { column =>
      byName.get(Names.folded(column.name)) match {
        case Some(Seq(changed)) if DataTypeUtils.sameType(changed.dataType, column.dataType) =>
          Alias(changed, column.name)(column.exprId, column.qualifier, Some(column.metadata))
        case Some(Seq(changed)) if Cast.canUpCast(changed.dataType, column.dataType) =>
          Alias(Cast(changed, column.dataType), column.name)(
            column.exprId,
            column.qualifier,
            Some(column.metadata)
          )
        case Some(found) =>
          RefusedRefresh.refuse(
            s"the changes of $name have the column ${column.name} of the type ${found.map(_.dataType.sql).mkString(", ")}, and " +
              s"$name has it of the type ${column.dataType.sql}",
            s"changes with the columns of $name"
          )
        case None =>
          RefusedRefresh.refuse(
            s"the changes of $name have no column ${column.name}",
            s"changes with the columns of $name, which are ${node.output.map(_.name).mkString(", ")}"
          )
      }
    }
    Project(columns, changes)
  }
}

private[refresh] object ChangedSource {

  /** The table that the query reads under the name; it may read others. */
  def named(name: String, query: LogicalPlan, changes: LogicalPlan): ChangedSource = {
    val parts = Names.parts(name).map(Names.folded)
    val found = outermost(query) {
      case alias: SubqueryAlias =>
        val all = (alias.identifier.qualifier :+ alias.identifier.name).map(Names.folded)
        all.endsWith(parts) || parts.endsWith(all) && isTable(alias.child)
      case _ => false
    }
    if (found.isEmpty)
      RefusedRefresh.refuse(s"the query does not read the table $name", s"a name among ${tablesOf(query)}")
    ChangedSource(name, found, changes)
  }

  /** The only table that the query reads. */
  def only(query: LogicalPlan, changes: LogicalPlan): ChangedSource = {
    // A view may be the table, or have a query that reads it.
    val columns = changes.output.map(a => Names.folded(a.name)).toSet
    val tables = query.collect {
      case node @ (_: View | _: LeafNode) if !node.isInstanceOf[OneRowRelation] => node
    }
    val leaves = tables.filter(_.children.isEmpty)
    if (leaves.size != 1)
      RefusedRefresh.refuse(
        s"the query reads ${leaves.size} tables, and the changes do not say which",
        s"the name of the changed table with its changes: ${tablesOf(query)}"
      )
    val table = tables.find(_.output.forall(a => columns(Names.folded(a.name)))).getOrElse(tables.head)
    ChangedSource("the table", Seq(table), changes)
  }

  private def tablesOf(query: LogicalPlan): String = {
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
