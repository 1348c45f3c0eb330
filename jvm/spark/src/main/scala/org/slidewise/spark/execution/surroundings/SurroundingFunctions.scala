package org.slidewise.spark.execution.surroundings

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

import org.slidewise.spark.execution.states.{FrameFunctions, StateCodec}
import org.slidewise.spark.plan._

/**
 * Makes, merges and reads the partial aggregates of a plan's [[UnboundedFunctions]] over surrounding rows. Serializable; not safe
 * for concurrent use.
 *
 * @param input
 *   the attributes of a row
 */
final private[spark] class SurroundingFunctions(plan: SlidingWindowPlan, val input: Seq[Attribute])
    extends Serializable {

  val unbounded: UnboundedFunctions = UnboundedFunctions.of(plan)

  private val stated = unbounded.buffered

  @transient private[this] lazy val functions =
    new FrameFunctions(stated, stated.indices, input, keepsStates = true)

  @transient private[this] lazy val codec = new StateCodec(stated.map(_.description))

  private def encode(state: InternalRow): Array[Byte] = codec.toBytes(state).clone()

  private def decode(states: Array[Byte]): InternalRow = codec.fromBytes(states.clone())

  /** Aggregates rows, in a task. */
  def aggregator(): PartialAggregator =
    new PartialAggregator(
      if (stated.isEmpty) None else Some(functions),
      if (unbounded.needPeerGroups) Some(new PeerChanges(plan.orderSpec, input)) else None,
      encode
    )

  /** The aggregate of `rows` rows, given the aggregation buffers side by side. */
  def aggregateOf(rows: Long, buffers: InternalRow): PartialAggregate =
    PartialAggregate(rows, 0L, if (stated.isEmpty) null else encode(buffers))

  /** The aggregate of the rows of `older` followed by the rows of `newer`. */
  def combine(older: PartialAggregate, newer: PartialAggregate): PartialAggregate =
    merger().add(older).add(newer).result()

  /** Merges partial aggregates. Aggregates of older rows must be added first. */
  def merger(): PartialAggregateMerger =
    new PartialAggregateMerger(decode, (state, newer) => functions.mergeInPlace(state, newer), encode)

  /**
   * Whether a partition of these rows must be evaluated in one task, since merging partial aggregates could lead to another result
   * or error than Spark's.
   */
  def mustBeOneTask(total: PartialAggregate): Boolean =
    total.failed || unbounded.ranks.nonEmpty && total.rows > Int.MaxValue || exceedsGuard(total)

  /** The aggregation buffers, side by side, as a new row; none if there are no rows. */
  private[surroundings] def stateOf(rows: PartialAggregate): Option[InternalRow] =
    Option(rows.states).map(decode)

  /**
   * The field of a row of states in which the function's aggregation buffer begins; none if the row has no buffer of the
   * function.
   */
  private[surroundings] def fieldOf(aggregate: PlannedAggregate): Option[Int] =
    indexOf(aggregate).map(index => stated.take(index).map(_.function.aggBufferAttributes.size).sum)

  /** The result of a declarative function for which [[fieldOf]] returns a field. */
  private[surroundings] def resultOf(aggregate: PlannedAggregate, state: InternalRow): Any =
    valueOf(indexOf(aggregate).get, state)

  private def indexOf(aggregate: PlannedAggregate): Option[Int] = {
    val index = unbounded.aggregates.indexWhere(UnboundedFunctions.areEqual(_, aggregate))
    if (index < 0) None else Some(index)
  }

  private def exceedsGuard(total: PartialAggregate): Boolean = {
    val guards = unbounded.aggregates.size until stated.size
    guards.nonEmpty && total.states != null && {
      val state = decode(total.states)
      guards.exists(valueOf(_, state) == true)
    }
  }

  private def valueOf(index: Int, state: InternalRow): Any =
    BindReferences
      .bindReference(
        stated(index).function.asInstanceOf[DeclarativeAggregate].evaluateExpression,
        AttributeSeq(codec.attributes)
      )
      .eval(state)
}

private[spark] object SurroundingFunctions {

  /** The constant by which the rows before the task's rows increase all results of a rank. */
  private[surroundings] def ranksBefore(aggregate: PlannedAggregate, before: PartialAggregate): Long =
    aggregate.description.rank match {
      case Some(RankKind.RowNumber | RankKind.Rank) => before.rows
      case Some(RankKind.DenseRank)                 => before.peerGroups
      case _                                        => 0L
    }
}
