package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}

import org.slidewise.spark.plan.{RowValue, SolvedBound}

/** A condition that bounds the time of a right row by a value of the left row. */
final private[joins] case class Limit(time: Expression, value: RowValue, isLower: Boolean) {

  /** The same limit with an inclusive bound; none if the time has no such bound. */
  def inclusive: Option[Limit] =
    if (value.isInside) Some(this)
    else if (!ExactArithmetic.isWhole(time.dataType)) None
    else {
      val step = Literal(if (isLower) 1L else -1L)
      val bound = SolvedBound.of(value.child, step, addsOther = true, 0, isLower, time.dataType)
      Some(copy(value = RowValue(bound, isInside = true)))
    }
}

private[joins] object Limit {

  /** The tightest of several limits of one time on one side; or the reason why it cannot be computed. */
  def innermost(limits: Seq[Limit]): Either[String, Option[Limit]] = {
    val within =
      if (limits.forall(_.value.isInside == limits.head.value.isInside)) limits
      else limits.flatMap(_.inclusive)
    val values = ExpressionSet(within.map(_.value.child)).toSeq
    val total = values.flatMap(TotalBound.of(_, limits.head.isLower))
    if (within.size < limits.size)
      Left(s"of several conditions on one side of ${limits.head.time.sql}, some allow equal values")
    else if (values.size < 2) Right(within.headOption)
    else if (total.size < values.size)
      Left(
        s"several conditions limit ${limits.head.time.sql} on the same side by values that may fail to be computed; compare it with one"
      )
    else {
      val inner = if (limits.head.isLower) Greatest(total) else Least(total)
      // A limit whose value is null allows no row.
      val known = total.map(IsNotNull(_): Expression).reduce(And)
      val value = If(known, inner, Literal.create(null, inner.dataType))
      Right(Some(within.head.copy(value = within.head.value.copy(child = value))))
    }
  }
}
