package org.slidewise.spark.planning

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}

/** Counts how often the nodes of a plan are asked. */
final class Visits(limit: Long = 1000000L) {
  private var visits = 0L

  def count(): Unit = {
    visits += 1
    if (visits > limit) throw new IllegalStateException(s"more than $limit visits")
  }

  /** How often nodes are asked while `body` runs. */
  def of(body: => Any): Long = {
    val before = visits
    body
    visits - before
  }
}

/** Passes rows on, and counts what it is asked. */
case class Probe(child: LogicalPlan, visits: Visits) extends LogicalPlan {
  override def children: Seq[LogicalPlan] = {
    visits.count()
    Seq(child)
  }
  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = {
    visits.count()
    child.maxRows
  }
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[LogicalPlan]): LogicalPlan =
    copy(child = newChildren.head)
}

case class ProbeExec(child: SparkPlan, visits: Visits) extends SparkPlan {
  override def children: Seq[SparkPlan] = {
    visits.count()
    Seq(child)
  }
  override def output: Seq[Attribute] = child.output
  override def outputOrdering: Seq[SortOrder] = {
    visits.count()
    child.outputOrdering
  }
  override def outputPartitioning: Partitioning = {
    visits.count()
    child.outputPartitioning
  }
  override protected def doExecute(): RDD[InternalRow] = child.execute()
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[SparkPlan]): SparkPlan =
    copy(child = newChildren.head)
}

object ProbeStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case Probe(child, visits) => ProbeExec(planLater(child), visits) :: Nil
    case _                    => Nil
  }
}
