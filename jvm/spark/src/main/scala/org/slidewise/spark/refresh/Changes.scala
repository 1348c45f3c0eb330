package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * The tables of a query whose rows have changed.
 *
 * @param tables
 *   the nodes of the query's plan that read the tables, each with its table, in the order of the plan
 * @param generated
 *   the generated columns of these tables and of others
 */
final private[refresh] case class Changes(
    tables: Seq[(LogicalPlan, ChangedTable)],
    generated: GeneratedColumns
) {
  val nodes: Seq[LogicalPlan] = tables.map(_._1)

  /** The names of the tables. */
  def names: String = tables.map(_._2.name).distinct.mkString(" and ")

  /**
   * The rows of `plan` to which changed rows of the table at `source` contribute, before or after the change: see [[Images]]. Of
   * other changed tables, it reads the rows before and after the change.
   */
  def imagesIn(plan: LogicalPlan, source: LogicalPlan): LogicalPlan = {
    val others = tables.collect {
      case (node, table) if node ne source => node -> beforeAndAfter(node, table)
    }
    val changed = tables.collectFirst { case (node, table) if node eq source => table.rows(node) }
    Images.of(plan, source, changed.get, others)
  }

  private def beforeAndAfter(node: LogicalPlan, table: ChangedTable): LogicalPlan = {
    val changed = table.rows(node)
    Union(Seq(node, Project(changed.output.map(a => Alias(a, a.name)()), changed)))
  }
}

private[refresh] object Changes {

  /** @param tables the changed tables of `query` */
  def of(query: LogicalPlan, tables: Seq[ChangedTable], generated: GeneratedColumns): Changes = {
    val placed = query.flatMap(node => tables.filter(_.nodes.exists(_ eq node)).map(node -> _))
    for ((node, table) <- placed; (other, twin) <- placed if (node eq other) && (table ne twin))
      RefusedRefresh.refuse(s"${table.name} and ${twin.name} are the same table", "each changed table once")
    Changes(placed, generated)
  }
}
