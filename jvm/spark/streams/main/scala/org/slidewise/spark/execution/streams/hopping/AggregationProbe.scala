package org.slidewise.spark.execution.streams.hopping

import org.apache.spark.sql.execution.{LocalTableScanExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.execution.streams.{AssignedState, StateAssignment}
import org.slidewise.spark.shims.SparkStreaming._

/** The state and the output mode that the rules of `IncrementalExecution` assign to an aggregation. */
final private[hopping] case class AssignedAggregation(state: AssignedState, mode: Option[OutputMode])

private[hopping] object AssignedAggregation {
  val Nothing: AssignedAggregation = AssignedAggregation(AssignedState(None, None, None), None)
}

/** Probes with Spark's own operators of a streaming aggregation, which get the output mode as well. */
private[hopping] object AggregationProbe extends StateAssignment[AssignedAggregation] {

  /** The version of Spark's state layout. Any version works, since the probe has no state. */
  private val Layout = 2

  override protected def probe(assigned: AssignedAggregation): SparkPlan = {
    val AssignedAggregation(AssignedState(info, lateEvents, eviction), mode) = assigned
    val nothing = LocalTableScanExec(Nil, Nil, None)
    val restored = ProjectExec(Nil, StateStoreRestoreExec(Nil, info, Layout, nothing))
    StateStoreSaveExec(Nil, info, mode, lateEvents, eviction, Layout, restored)
  }

  override protected def read(probe: SparkPlan): Option[AssignedAggregation] = probe match {
    case StateStoreSaveExec(_, info, mode, lateEvents, eviction, _, _) =>
      Some(AssignedAggregation(AssignedState(info, lateEvents, eviction), mode))
    case _ => None
  }
}
