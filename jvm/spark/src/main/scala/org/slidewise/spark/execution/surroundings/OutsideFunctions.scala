package org.slidewise.spark.execution.surroundings

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

import org.slidewise.spark.execution.states.{FrameFunctions, StateCodec}
import org.slidewise.spark.plan._

/**
 * The functions of a plan that depend on rows outside of those that a task evaluates: frames that are unbounded at one or both
 * ends, and ranks. Aggregates such rows, see [[Outside]]. Equal functions of several frames share one aggregation buffer.
 *
 * Serializable; not safe for concurrent use.
 *
 * @param input
 *   the attributes of a row
 */
final private[spark] class OutsideFunctions(plan: SlidingWindowPlan, input: Seq[Attribute])
    extends Serializable {

  private val ranks: Seq[RankKind] = plan.frames.flatMap(_.aggregates).flatMap(_.description.rank)

  /** The aggregates, equal ones once. */
  private val aggregates: Seq[PlannedAggregate] = {
    val found = for {
      frame <- plan.frames if frame.frame.isUnbounded
      aggregate <- frame.aggregates
      if aggregate.description.rank.isEmpty &&
        !OutsideFunctions.countsRows(aggregate) &&
        !OutsideFunctions.readsNear(aggregate, frame.frame)
    } yield aggregate
    found.foldLeft(Vector.empty[PlannedAggregate]) { (kept, next) =>
      if (kept.exists(OutsideFunctions.same(_, next))) kept else kept :+ next
    }
  }

  private val guards: Seq[AggregateCall] =
    aggregates.flatMap(a => a.description.guard.map(AggregateCall(_, a.filter)))

  private val stated: Seq[AggregateCall] = aggregates.map(_.call) ++ guards

  /** Whether the functions need only the number of rows outside. */
  def isEmpty: Boolean = stated.isEmpty && !needsPeerGroups

  /** Whether rows must be added, and aggregates combined, in the order of the window. */
  def needsOrder: Boolean = needsPeerGroups || aggregates.exists(_.description.dependsOnOrder)

  /** Whether groups of rows that tie are counted. No cut may divide such a group. */
  def needsPeerGroups: Boolean = ranks.contains(RankKind.DenseRank)

  /** Whether aggregates take few bytes, and rows and aggregates may be added in any order. */
  def areSmall: Boolean = {
    val fields = stated.flatMap(_.function.aggBufferAttributes)
    !needsOrder && fields.nonEmpty && fields.size <= OutsideFunctions.FewFields &&
    fields.forall(field => StateTypes.isFixedWidth(field.dataType))
  }

  @transient private[this] lazy val functions =
    new FrameFunctions(stated, stated.indices, input, keepsStates = true)

  @transient private[this] lazy val codec = new StateCodec(stated.map(_.description))

  private def encode(state: InternalRow): Array[Byte] = codec.toBytes(state).clone()

  private def decode(states: Array[Byte]): InternalRow = codec.fromBytes(states.clone())

  /** Aggregates rows, in a task. */
  def builder(): OutsideBuilder =
    new OutsideBuilder(
      if (stated.isEmpty) None else Some(functions),
      if (needsPeerGroups) Some(new PeerChanges(plan.orderSpec, input)) else None,
      encode
    )

  /** The aggregate of the rows of `older` followed by the rows of `newer`. */
  def combine(older: Outside, newer: Outside): Outside = total().add(older).add(newer).result()

  /** Combines aggregates. Aggregates of older rows come first. */
  def total(): OutsideTotal =
    new OutsideTotal(decode, (state, newer) => functions.mergeInPlace(state, newer), encode)

  /**
   * Whether a partition of these rows must be evaluated in one task, since merging partial aggregates could lead to another result
   * or error than Spark's.
   */
  def mustBeOneTask(total: Outside): Boolean =
    total.failed || ranks.nonEmpty && total.rows > Int.MaxValue || exceedsGuard(total)

  /** The aggregation buffers, side by side, as a new row; none if there are no rows. */
  private[surroundings] def stateOf(outside: Outside): Option[InternalRow] =
    Option(outside.states).map(decode)

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
    val index = aggregates.indexWhere(OutsideFunctions.same(_, aggregate))
    if (index < 0) None else Some(index)
  }

  private def exceedsGuard(total: Outside): Boolean = guards.nonEmpty && total.states != null && {
    val state = decode(total.states)
    guards.indices.exists(i => valueOf(aggregates.size + i, state) == true)
  }

  private def valueOf(index: Int, state: InternalRow): Any =
    BindReferences
      .bindReference(
        stated(index).function.asInstanceOf[DeclarativeAggregate].evaluateExpression,
        AttributeSeq(codec.attributes)
      )
      .eval(state)
}

private[spark] object OutsideFunctions {

  /** The greatest number of fields of an aggregate that takes few bytes. */
  private val FewFields = 8

  /** Whether the function is the number of rows. */
  private[surroundings] def countsRows(aggregate: PlannedAggregate): Boolean =
    aggregate.filter.isEmpty && aggregate.description.countsRows

  /**
   * The number to add to the results of a rank because of the rows before. With these rows, the results are greater by this
   * constant.
   */
  private[surroundings] def ranksBefore(aggregate: PlannedAggregate, before: Outside): Long =
    aggregate.description.rank match {
      case Some(RankKind.RowNumber | RankKind.Rank) => before.rows
      case Some(RankKind.DenseRank)                 => before.peerGroups
      case _                                        => 0L
    }

  /** Whether the result is the value of a row at the bounded end of a frame that holds the current row. */
  private def readsNear(aggregate: PlannedAggregate, frame: Frame): Boolean =
    aggregate.call.reference.exists {
      case RowReference(Some(_), 1, false) => frame.startsByCurrentRow
      case RowReference(Some(_), 1, true)  => frame.endsFromCurrentRow
      case _                               => false
    }

  private[surroundings] def same(a: PlannedAggregate, b: PlannedAggregate): Boolean =
    a.function.canonicalized == b.function.canonicalized &&
      a.filter.map(_.canonicalized) == b.filter.map(_.canonicalized)
}
