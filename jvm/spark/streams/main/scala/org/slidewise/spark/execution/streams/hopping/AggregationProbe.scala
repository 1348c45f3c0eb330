package org.slidewise.spark.execution.streams.hopping

import org.apache.spark.sql.execution.{LocalTableScanExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.execution.streams.AssignedState
import org.slidewise.spark.shims.SparkStreaming._

/** The state and the output mode that the rules of `IncrementalExecution` assign to an aggregation. */
final private[hopping] case class AssignedAggregation(state: AssignedState, mode: Option[OutputMode])

/**
 * Gets state, watermarks and the output mode for an aggregation that Spark does not know. Applies each rule to a probe: Spark's
 * own operators of a streaming aggregation, without input.
 *
 * @see
 *   [[org.slidewise.spark.execution.streams.StateAssignment]], which does not get the output mode
 */
private[hopping] object AggregationProbe {

  /** The version of Spark's state layout. Any version works, since the probe has no state. */
  private val Layout = 2

  /**
   * The state and the output mode that `rule` assigns.
   *
   * @param operator
   *   the operator in whose place the probe stands
   * @param assigned
   *   the state and the output mode assigned so far
   * @return
   *   None if `rule` assigns nothing new
   */
  def assigned(
      operator: SparkPlan,
      assigned: AssignedAggregation,
      rule: PartialFunction[SparkPlan, SparkPlan]
  ): Option[AssignedAggregation] =
    if (rule.isDefinedAt(operator)) None // The rule applies to all stateful operators and needs no probe.
    else {
      val AssignedAggregation(AssignedState(info, lateEvents, eviction), mode) = assigned
      val nothing = LocalTableScanExec(Nil, Nil, None)
      val restored = ProjectExec(Nil, StateStoreRestoreExec(Nil, info, Layout, nothing))
      val probe = StateStoreSaveExec(Nil, info, mode, lateEvents, eviction, Layout, restored)
      if (rule.isDefinedAt(probe)) read(rule(probe)).filter(_ != assigned) else None
    }

  private def read(probe: SparkPlan): Option[AssignedAggregation] = probe match {
    case StateStoreSaveExec(_, info, mode, lateEvents, eviction, _, _) =>
      Some(AssignedAggregation(AssignedState(info, lateEvents, eviction), mode))
    case _ => None
  }
}
