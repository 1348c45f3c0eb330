package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

/**
 * The functions of a plan whose results depend on all rows before or after a row: aggregates over frames that are unbounded at one
 * or both ends, and ranks.
 *
 * @param aggregates
 *   the aggregates, equal ones of several frames once. Those that only count rows are not among them, nor those that read a row
 *   near the current row
 * @param areAtEnds
 *   whether the result of each is the value of the first or the last row of the partition
 */
final case class UnboundedFunctions(
    aggregates: Seq[PlannedAggregate],
    ranks: Seq[RankKind],
    areAtEnds: Boolean
) {

  /** The functions that find aggregates whose partial aggregates may merge to another result than Spark's. */
  def guards: Seq[AggregateCall] =
    aggregates.flatMap(a => a.description.guard.map(AggregateCall(_, a.filter)))

  /** The functions that need an aggregation buffer, guards last. */
  def buffered: Seq[AggregateCall] = aggregates.map(_.call) ++ guards

  /** Whether partial aggregates hold groups of rows that tie. */
  def needPeerGroups: Boolean = ranks.contains(RankKind.DenseRank)

  /** Whether the functions need only numbers of rows. */
  def needOnlyCounts: Boolean = aggregates.isEmpty && !needPeerGroups

  /** Whether the functions need only numbers of rows, and the first and the last row of the partition. */
  def needOnlyEnds: Boolean = areAtEnds && !needPeerGroups

  /** Whether rows must be added, and partial aggregates merged, in the order of the window. */
  def needOrder: Boolean = needPeerGroups || aggregates.exists(_.description.dependsOnOrder)

  /** Whether Spark's generated code makes partial aggregates of rows in any order, whose buffers have a fixed width. */
  def areGenerated: Boolean = !needOrder && buffered.forall { call =>
    call.function.isInstanceOf[DeclarativeAggregate] &&
    call.function.aggBufferAttributes.forall(a => StateTypes.isFixedWidth(a.dataType))
  }

  /** Whether partial aggregates take few bytes, and rows and partial aggregates may be added in any order. */
  def areSmall: Boolean = {
    val fields = buffered.flatMap(_.function.aggBufferAttributes)
    !needOrder && fields.nonEmpty && fields.size <= UnboundedFunctions.FewFields &&
    fields.forall(field => StateTypes.isFixedWidth(field.dataType))
  }
}

object UnboundedFunctions {

  /** The greatest number of fields of a partial aggregate that takes few bytes. */
  private val FewFields = 8

  def of(plan: SlidingWindowPlan): UnboundedFunctions = {
    val found = for {
      frame <- plan.frames if frame.frame.isUnbounded
      aggregate <- frame.aggregates
      if aggregate.description.rank.isEmpty && !countsRows(aggregate) && !readsNear(aggregate, frame.frame)
    } yield (frame.frame, aggregate)
    UnboundedFunctions(
      found.map(_._2).foldLeft(Vector.empty[PlannedAggregate]) { (kept, next) =>
        if (kept.exists(areEqual(_, next))) kept else kept :+ next
      },
      plan.frames.flatMap(_.aggregates).flatMap(_.description.rank),
      found.forall { case (frame, aggregate) => isAtEnd(aggregate, frame) }
    )
  }

  /** Whether the result is the value of the first or the last row of the partition, null or not, in every frame. */
  private def isAtEnd(aggregate: PlannedAggregate, frame: Frame): Boolean =
    aggregate.filter.isEmpty && aggregate.call.reference.exists {
      case RowReference(Some(_), 1, fromEnd) => frame.isOpenAt(fromEnd)
      case _                                 => false
    }

  /** Whether the function is the number of rows. */
  def countsRows(aggregate: PlannedAggregate): Boolean =
    aggregate.filter.isEmpty && aggregate.description.countsRows

  /** Whether two aggregates have the same results over the same rows. */
  def areEqual(a: PlannedAggregate, b: PlannedAggregate): Boolean =
    a.function.canonicalized == b.function.canonicalized &&
      a.filter.map(_.canonicalized) == b.filter.map(_.canonicalized)

  /** Whether the result is the value of a row at the bounded end of a frame, and a task that needs it reads this row. */
  def readsNear(aggregate: PlannedAggregate, frame: Frame): Boolean =
    aggregate.call.reference.exists {
      case RowReference(Some(_), 1, fromEnd) => frame.hasNearEnd(fromEnd)
      case _                                 => false
    }
}
