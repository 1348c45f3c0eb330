package org.slidewise.spark.execution.streams.hopping

import org.apache.spark.sql.execution.{LocalTableScanExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.streaming.OutputMode

import org.slidewise.spark.execution.streams.AssignedState
import org.slidewise.spark.shims.SparkStreaming._

/** The state of an aggregation as the rules of `IncrementalExecution` assign it, and the query's output mode. */
final private[hopping] case class AssignedAggregation(state: AssignedState, mode: Option[OutputMode])

/**
 * Gets state, watermarks and the output mode for an aggregation that Spark does not know: applies each rule to Spark's own
 * operators of a streaming aggregation, without input, in the operator's place.
 *
 * @see
 *   [[org.slidewise.spark.execution.streams.StateAssignment]], whose ways do not give the output mode
 */
private[hopping] object AggregationProbe {

  /** The version of the layout of Spark's own states, of which the probe has none. */
  private val Layout = 2

  /**
   * What `rule` assigns.
   *
   * @param operator
   *   the operator that `rule` is applied to
   * @param assigned
   *   what it has been assigned so far
   * @return
   *   none if `rule` assigns nothing
   */
  def assigned(
      operator: SparkPlan,
      assigned: AssignedAggregation,
      rule: PartialFunction[SparkPlan, SparkPlan]
  ): Option[AssignedAggregation] =
    if (rule.isDefinedAt(operator)) None // a rule for every operator with state
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
