package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.{Frame, TimeReach}
import org.slidewise.spark.planning.WindowCall

/**
 * The greatest distances in an order key from a row to the rows that a window function reads for it. A distance is in the units of
 * [[OrderKey]]; none means no limit.
 *
 * @param below
 *   the distance to smaller keys
 * @param above
 *   the distance to greater keys
 */
final private[refresh] case class Distance(below: Option[BigDecimal], above: Option[BigDecimal]) {

  /** The distance of a function that reads results of functions at the distance `inner`. */
  def plus(inner: Distance): Distance = Distance(
    for (a <- below; b <- inner.below) yield a + b,
    for (a <- above; b <- inner.above) yield a + b
  )

  def max(other: Distance): Distance = Distance(
    for (a <- below; b <- other.below) yield a.max(b),
    for (a <- above; b <- other.above) yield a.max(b)
  )

  def isLimited: Boolean = below.isDefined && above.isDefined
}

private[refresh] object Distance {
  private val AtRow: Option[BigDecimal] = Some(BigDecimal(0))

  val Zero: Distance = Distance(AtRow, AtRow)
  val Unlimited: Distance = Distance(None, None)

  /** An upper bound on the distance of a window function, along the first column of its order. */
  def of(call: WindowCall, order: Seq[SortOrder]): Distance = {
    val reach = call.reach
    val frame = call.frame
    val endsOnly = frame.reachesEnd && !frame.isGrowing
    val range = Some(frame).collect { case range: Frame.Range => range }
    val before =
      if (reach.rowsBefore > 0 || reach.isUnbounded && !endsOnly) None
      else range.fold(AtRow)(r => distance(r.lower, before = true))
    val after =
      if (reach.rowsAfter > 0 || call.description.readsPartition || reach.isUnbounded && frame.looksAhead)
        None
      else range.fold(AtRow)(r => distance(r.upper, before = false))
    if (order.headOption.forall(_.direction == Ascending)) Distance(before, after)
    else Distance(after, before)
  }

  private def distance(bound: Frame.Bound, before: Boolean): Option[BigDecimal] = bound match {
    case Frame.Unbounded | _: Frame.RowBound => None
    case Frame.Peers                         => AtRow
    case key: Frame.KeyBound                 => Some(ofOffset(key, before).max(0))
  }

  private def ofOffset(bound: Frame.KeyBound, before: Boolean): BigDecimal = {
    def signed(number: BigDecimal) = if (before) -number else number
    (bound.order.child.dataType, bound.offset.eval()) match {
      case (TimestampType | TimestampNTZType, _) =>
        BigDecimal((if (before) TimeReach.before(bound) else TimeReach.after(bound)).longestEver)
      case (DateType, months: Int) if bound.offset.dataType.isInstanceOf[YearMonthIntervalType] =>
        signed(BigDecimal(months) * 31)
      case (DateType, micros: Long) => signed(BigDecimal(micros / MICROS_PER_DAY))
      case (_, number: Decimal)     => signed(BigDecimal(number.toJavaBigDecimal))
      case (_, number: Double)      => signed(BigDecimal(number))
      case (_, number: Float)       => signed(BigDecimal(number.toDouble))
      case (_, number: Number)      => signed(BigDecimal(number.longValue))
      case (_, _)                   => BigDecimal(Long.MaxValue)
    }
  }
}
