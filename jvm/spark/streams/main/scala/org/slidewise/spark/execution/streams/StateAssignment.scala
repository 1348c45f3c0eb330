package org.slidewise.spark.execution.streams

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}

import org.slidewise.spark.errors.RefusedQuery
import org.slidewise.spark.shims.SparkStreaming.{StatefulOperatorStateInfo, StreamingDeduplicateExec}

/**
 * The state of a stateful operator and its watermarks, as the rules of `IncrementalExecution` assign them for one batch.
 *
 * @param info
 *   the operator's number, its place in the checkpoint and the number of partitions
 * @param lateEvents
 *   the watermark up to which rows are late, in milliseconds
 * @param eviction
 *   the watermark up to which state is removed, in milliseconds
 */
final private[streams] case class AssignedState(
    info: Option[StatefulOperatorStateInfo],
    lateEvents: Option[Long],
    eviction: Option[Long]
) {

  /** Fails if Spark's rules have run and assigned less than an operator needs. */
  def requireComplete(operator: => String): Unit = {
    val missing =
      Seq("state" -> info, "watermark for late rows" -> lateEvents, "watermark for eviction" -> eviction)
        .collect { case (name, None) => name }
    if (missing.nonEmpty) throw new StateNotAssigned(operator, missing.mkString(", "))
  }
}

/**
 * Gets state and watermarks for an operator that Spark does not know. Applies each rule to a probe in the operator's place: one
 * of Spark's operators, without input. Takes over the values that the rule has set in the probe. The operator overrides
 * `TreeNode.transformDownWithPruning` to get hold of the rule. All supported Spark minors share the probes.
 *
 * Spark offers no interface for this. `StateOpIdRule` and `WatermarkPropagationRule`, partial functions in
 * `IncrementalExecution.state`, list Spark's own operators by class from 4.0 to 4.3. Only the rule for the state schema and the
 * watermark simulator take any `StateStoreWriter`.
 *
 * This relies on two facts: Spark applies the two rules by `transform`, and both rules know the probe. If either changes,
 * [[AssignedState.requireComplete]] fails the query when it is planned.
 *
 * @tparam A
 *   the values that the rules assign
 */
private[streams] trait StateAssignment[A] {

  /** One of Spark's operators, to which `state` has been assigned. */
  protected def probe(state: A): SparkPlan

  /** The values that have been assigned to a probe; none if the rule has replaced the probe by another operator. */
  protected def read(probe: SparkPlan): Option[A]

  /**
   * The values that `rule` assigns.
   *
   * @param operator
   *   the operator to which Spark applies `rule`
   * @param state
   *   the values that have been assigned to the operator so far
   * @return
   *   none if `rule` assigns nothing new
   */
  final def assigned(operator: SparkPlan, state: A, rule: PartialFunction[SparkPlan, SparkPlan]): Option[A] =
    if (rule.isDefinedAt(operator)) None // a rule for every operator with state
    else {
      val before = probe(state)
      if (rule.isDefinedAt(before)) read(rule(before)).filter(_ != state) else None
    }
}

/**
 * Probes with a `StreamingDeduplicateExec`.
 *
 * Alternatives, and why each is more fragile:
 *
 *   - Subclass an operator that Spark knows. The rules rebuild `StreamingDeduplicateExec` by its constructor, which loses the
 *     subclass. `FlatMapGroupsWithStateExec`, `FlatMapGroupsInPandasWithStateExec` and `TransformWithStateExec` are rebuilt by
 *     `copy`, which a subclass could override; but these have up to 22 parameters, which differ between 4.2 and 4.3, and
 *     `productIterator`, `makeCopy`, equality and Python evaluation would be theirs.
 *   - Put a `StreamingDeduplicateExec` into the plan as the operator's child. The rule for the state schema, the watermark
 *     simulator and the progress reporter would take it for a second operator with state.
 *   - Write the window as a `StatefulProcessor` of `transformWithState`, a public interface. Its rows and states are encoded
 *     objects, its keys have no scan by time across keys, and it supports RocksDB only.
 *   - Assign the state in a strategy or a columnar rule. Strategies do not see the `IncrementalExecution` and its counter of
 *     operators; columnar rules run after the shuffle, which depends on the state, has been planned. Rules for query stages need
 *     adaptive execution, which a stream switches off.
 */
private[streams] object DeduplicationProbe extends StateAssignment[AssignedState] {

  override protected def probe(state: AssignedState): SparkPlan =
    StreamingDeduplicateExec(
      Nil,
      LocalTableScanExec(Nil, Nil, None),
      state.info,
      state.lateEvents,
      state.eviction
    )

  override protected def read(probe: SparkPlan): Option[AssignedState] = probe match {
    case StreamingDeduplicateExec(_, _, info, lateEvents, eviction) =>
      Some(AssignedState(info, lateEvents, eviction))
    case _ => None
  }
}

/** Thrown if a window over a stream was planned without the state or the watermarks that it needs. It would lose rows. */
final class StateNotAssigned(operator: String, missing: String)
    extends RefusedQuery(
      StateNotAssigned.Condition,
      StateNotAssigned.SqlState,
      s"The planner of Spark $SPARK_VERSION assigned no $missing to $operator. Start the query by writeStream, which plans " +
        "each batch with state; if it was, this version of Slidewise does not support this version of Spark",
      Map("operator" -> operator, "missing" -> missing)
    )

object StateNotAssigned {
  val Condition = "SLIDEWISE_STREAM_STATE_NOT_ASSIGNED"
  val SqlState = "0A000"
}
