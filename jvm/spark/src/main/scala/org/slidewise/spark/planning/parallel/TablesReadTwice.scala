package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.command.DataWritingCommandExec
import org.apache.spark.sql.execution.datasources.{InsertIntoHadoopFsRelationCommand, WriteFilesExec}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.execution.parallel.TwiceReadWindowExec

/**
 * Reads the table of a window with PARTITION BY twice instead of shuffling it, if it may have few keys and no operator above relies
 * on its partitions. An exchange that another operator reads stays as it is, so that Spark can reuse it. Visits each node once.
 */
private[spark] object TablesReadTwice extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    // A plan without windows reads no setting, so that an invalid setting does not fail the query.
    if (!plan.exists(isOfWholePartitions) || !SlidewiseSettings.readsTwice(conf) || plan.exists(writesByKey))
      plan
    else {
      val reads = new ExchangeReads(plan)
      new SharedPartitions(
        conf,
        (planned, now) =>
          now match {
            case window: SlidingWindowExec =>
              reads.unshuffled(planned.children.head, window.child).flatMap(readTwice(window, _))
            case _ => None
          }
      ).in(plan)
    }

  private def isOfWholePartitions(plan: SparkPlan): Boolean = plan match {
    case window: SlidingWindowExec => window.partitionSpec.nonEmpty && window.plan.isOfWholePartitions
    case _                         => false
  }

  /** Whether the plan writes partitioned or bucketed files, so that each task writes a file for each key of its rows. */
  private def writesByKey(plan: SparkPlan): Boolean = plan match {
    case write: WriteFilesExec =>
      write.partitionColumns.nonEmpty || write.bucketSpec.nonEmpty
    case DataWritingCommandExec(insert: InsertIntoHadoopFsRelationCommand, _) =>
      insert.partitionColumns.nonEmpty || insert.bucketSpec.nonEmpty
    case _ => false
  }

  private def readTwice(window: SlidingWindowExec, rows: SparkPlan): Option[SparkPlan] =
    for {
      query <- window.logicalLink.collect { case query: Window => query }
      if !RowsToReadTwice.areReadOnce(query) && !SortAbove.of(window)
      plan <- ParallelPlanner.acrossTasks(conf, window)
      first <- RowsToReadTwice.first(conf, plan, query.child)
    } yield {
      val aggregated = window.session.sessionState.planner.plan(first).next()
      val twice = TwiceReadWindowExec(plan, RowsToReadTwice.once(plan, query.child), aggregated, rows)
      Seq(twice.child, twice).foreach(_.copyTagsFrom(window))
      SharedOperators.named(twice, window)
    }
}
