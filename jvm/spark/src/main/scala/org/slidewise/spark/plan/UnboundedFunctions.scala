package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.DecimalType

/**
 * The functions of a plan whose results depend on all rows before or after a row: aggregates over frames that are unbounded at one
 * or both ends, and ranks.
 *
 * @param aggregates
 *   the aggregates, without duplicates across frames. Excludes counts of rows, and aggregates that read a row near the current row
 * @param areAtEnds
 *   whether the result of each aggregate is the value of the first or the last row of the partition
 */
final case class UnboundedFunctions(
    aggregates: Seq[PlannedAggregate],
    ranks: Seq[RankKind],
    areAtEnds: Boolean
) {

  /** The guards: functions that find results for which merged partial aggregates may differ from Spark's result. */
  def guards: Seq[AggregateCall] =
    aggregates.flatMap(a => a.description.guard.map(AggregateCall(_, a.filter)))

  /** The functions that need an aggregation buffer, guards last. */
  def buffered: Seq[AggregateCall] = aggregates.map(_.call) ++ guards

  /** Whether partial aggregates must count groups of rows that tie, for `dense_rank`. */
  def needPeerGroups: Boolean = ranks.contains(RankKind.DenseRank)

  /** Whether the functions need only row counts. */
  def needOnlyCounts: Boolean = aggregates.isEmpty && !needPeerGroups

  /** Whether the functions need only row counts, and the first and the last row of the partition. */
  def needOnlyEnds: Boolean = areAtEnds && !needPeerGroups

  /** Whether rows must be added, and partial aggregates merged, in the order of the window. */
  def needOrder: Boolean = needPeerGroups || aggregates.exists(_.description.dependsOnOrder)

  /**
   * Whether Spark's generated code can compute the partial aggregates: in any order of rows, in buffers that it changes in place. It
   * makes null of a decimal that exceeds its type, which Spark's windows do not. A sum does not in less than 10^10^ rows, unless its
   * type has the maximum precision.
   */
  def areGenerated: Boolean = !needOrder && buffered.forall { call =>
    call.function.isInstanceOf[DeclarativeAggregate] &&
    call.function.aggBufferAttributes.map(_.dataType).forall {
      case decimal: DecimalType => decimal.precision < DecimalType.MAX_PRECISION
      case other                => StateTypes.isFixedWidth(other)
    }
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

  /** Whether the function counts all rows of the frame. */
  def countsRows(aggregate: PlannedAggregate): Boolean =
    aggregate.filter.isEmpty && aggregate.description.countsRows

  /** Whether two aggregates have the same results over the same rows. */
  def areEqual(a: PlannedAggregate, b: PlannedAggregate): Boolean =
    a.function.canonicalized == b.function.canonicalized &&
      a.filter.map(_.canonicalized) == b.filter.map(_.canonicalized)

  /**
   * Whether the result is the value of the row at a bounded end of the frame, and the task that evaluates the frame reads this row.
   */
  def readsNear(aggregate: PlannedAggregate, frame: Frame): Boolean =
    aggregate.call.reference.exists {
      case RowReference(Some(_), 1, fromEnd) => frame.hasNearEnd(fromEnd)
      case _                                 => false
    }
}
