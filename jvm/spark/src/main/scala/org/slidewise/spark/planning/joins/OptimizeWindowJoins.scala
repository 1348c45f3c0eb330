package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

import org.slidewise.spark.plan.WindowJoin

/** Pushes filters on left rows below a [[WindowJoin]], and drops calls that no operator reads and sorts of its rows. */
object OptimizeWindowJoins extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case join: WindowJoin =>
      if (isEmpty(join.left)) LocalRelation(join.output) else join.mapChildren(unsorted)
    case Filter(condition, join: WindowJoin) if pushed(condition, join).nonEmpty =>
      val below = pushed(condition, join)
      val above = Conjuncts(condition).filterNot(below.contains)
      val filtered = join.copy(left = Filter(below.reduce(And), join.left))
      above.reduceOption(And).fold[LogicalPlan](filtered)(Filter(_, filtered))
    case Project(columns, join: WindowJoin) if isUnread(columns, join) =>
      Project(columns, pruned(columns, join))
    case Project(columns, Filter(condition, join: WindowJoin)) if isUnread(columns :+ condition, join) =>
      Project(columns, Filter(condition, pruned(columns :+ condition, join)))
  }

  private def isEmpty(plan: LogicalPlan): Boolean = plan match {
    case rows: LocalRelation                                      => rows.data.isEmpty
    case _: Project | _: Filter | _: RepartitionOperation         => isEmpty(plan.children.head)
    case groups: Aggregate if groups.groupingExpressions.nonEmpty => isEmpty(groups.child)
    case _                                                        => false
  }

  /** The rows in any order, since the join sorts them. */
  private def unsorted(plan: LogicalPlan): LogicalPlan = plan match {
    case sort: Sort                                                      => unsorted(sort.child)
    case project: Project if project.projectList.forall(_.deterministic) => project.mapChildren(unsorted)
    case filter: Filter if filter.condition.deterministic                => filter.mapChildren(unsorted)
    case other                                                           => other
  }

  /** The join with only the calls that `readers` read. */
  private def pruned(readers: Seq[Expression], join: WindowJoin): LogicalPlan = {
    val read = AttributeSet(readers.flatMap(_.references))
    val kept = join.keeping(read.contains)
    if (kept.calls.isEmpty) join.left else kept
  }

  private def isUnread(readers: Seq[Expression], join: WindowJoin): Boolean = {
    val read = AttributeSet(readers.flatMap(_.references))
    join.results.exists(!read.contains(_))
  }

  private def pushed(condition: Expression, join: WindowJoin): Seq[Expression] =
    if (!condition.deterministic) Nil
    else Conjuncts(condition).filter(c => c.references.nonEmpty && c.references.subsetOf(join.left.outputSet))
}
