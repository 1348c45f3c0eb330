package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.types.DataTypeUtils

/**
 * A table that a query reads and whose rows have changed.
 *
 * @param nodes
 *   the nodes of the query's plan that read the table
 * @param changes
 *   the changed rows under the names of the table's columns
 */
final private[refresh] case class ChangedTable(name: String, nodes: Seq[LogicalPlan], changes: LogicalPlan) {

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
