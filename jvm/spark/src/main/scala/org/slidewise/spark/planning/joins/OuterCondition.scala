package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.OUTER_REFERENCE
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.GroupingKeys
import org.slidewise.spark.plan.{FramedAggregate, RowValue}

/**
 * The conditions by which the rows of a subquery depend on a row of the query around it, in the form of a window: equal keys and a
 * range of time.
 *
 * @param leftKeys
 *   the keys of a row around the subquery
 * @param rightKeys
 *   the keys of a row of the subquery
 * @param time
 *   the time of a row of the subquery
 */
final private[joins] case class OuterCondition(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    time: Expression,
    lower: Option[RowValue],
    upper: Option[RowValue]
) {
  import OuterCondition.narrow

  /** A call of the aggregate over the rows of the subquery in the window of a row around it. */
  def call(
      function: AggregateFunction,
      filter: Option[Expression] = None,
      rowOfNulls: Boolean = false
  ): Alias = Alias(
    FramedAggregate(function, filter, SortOrder(time, Ascending), lower, upper, rowOfNulls),
    "_call"
  )()

  /** Whether the values of the expression have the order of the time. */
  def isInOrderOf(e: Expression): Boolean = narrow(e).semanticEquals(narrow(time))

  /** The conditions that a row of the subquery meets if it belongs to any row around it. */
  def required: Seq[Expression] = (rightKeys :+ time).filter(_.nullable).map(IsNotNull(_))
}

private[joins] object OuterCondition {

  /**
   * @param conditions
   *   the conjuncts, each with a reference to the query around it
   * @return
   *   the conditions, or the reason why they are not those of a window
   */
  def of(conditions: Seq[Expression]): Either[String, OuterCondition] = {
    val parts = conditions.map(partOf)
    parts.collectFirst { case Left(reason) => reason } match {
      case Some(reason) => Left(reason)
      case None         => together(parts.collect { case Right(part) => part })
    }
  }

  /** The reason where no condition compares two values, as in most subqueries, which are no windows. */
  val NoRange: String = "no condition compares a time of the two tables"

  private sealed trait Part
  final private case class Key(left: Expression, right: Expression, nullSafe: Boolean) extends Part
  final private case class Limit(time: Expression, value: RowValue, isLower: Boolean) extends Part

  private def partOf(condition: Expression): Either[String, Part] = {
    val part = condition match {
      case EqualTo(a, b) => sides(a, b).map { case (left, right, _) => Key(left, right, nullSafe = false) }
      case EqualNullSafe(a, b) =>
        sides(a, b).map { case (left, right, _) => Key(left, right, nullSafe = true) }
      case GreaterThan(a, b)        => limit(a, b, isLower = true, isInside = false)
      case GreaterThanOrEqual(a, b) => limit(a, b, isLower = true, isInside = true)
      case LessThan(a, b)           => limit(a, b, isLower = false, isInside = false)
      case LessThanOrEqual(a, b)    => limit(a, b, isLower = false, isInside = true)
      case _                        => None
    }
    part.toRight(s"the condition ${condition.sql} is neither an equality nor a comparison of the two tables")
  }

  /** The limit that `a > b` sets if `isLower`, and otherwise `a < b`. */
  private def limit(a: Expression, b: Expression, isLower: Boolean, isInside: Boolean): Option[Part] =
    sides(a, b).map { case (left, right, isSwapped) =>
      Limit(right, RowValue(left, isInside), isLower != isSwapped)
    }

  /** The left and the right one of two expressions, and whether `a` is the left one. None if they are not one of each. */
  private def sides(a: Expression, b: Expression): Option[(Expression, Expression, Boolean)] =
    if (isOfRight(a) && isOfLeft(b)) Some((asLeft(b), a, false))
    else if (isOfLeft(a) && isOfRight(b)) Some((asLeft(a), b, true))
    else None

  private def isOfRight(e: Expression) = e.references.nonEmpty && !isOuter(e)
  private def isOfLeft(e: Expression) = e.references.isEmpty && isOuter(e)

  /** Whether the expression refers to the query around its own. */
  def isOuter(e: Expression): Boolean = e.containsPattern(OUTER_REFERENCE)

  def isOuter(plan: LogicalPlan): Boolean = plan.containsPattern(OUTER_REFERENCE)

  /** The expression over the rows of the query around. */
  def asLeft(e: Expression): Expression = e.transform { case OuterReference(attribute) => attribute }

  /** The expression with references to a query around in place of the columns of its rows, `left`. */
  def asOuter(e: Expression, left: LogicalPlan): Expression = e.transform {
    case a: Attribute if left.outputSet.contains(a) => OuterReference(a)
  }

  private def together(parts: Seq[Part]): Either[String, OuterCondition] = {
    val limits = ofOneTime(parts.collect { case limit: Limit => limit })
    val (lower, upper) = limits.partition(_.isLower)
    limits.headOption match {
      case None                    => Left(NoRange)
      case Some(Limit(time, _, _)) =>
        if (!limits.forall(_.time.semanticEquals(time)))
          Left(s"the conditions limit several expressions: ${limits.map(_.time.sql).distinct.mkString(", ")}")
        else if (lower.size > 1 || upper.size > 1)
          Left(s"several conditions limit ${time.sql} on the same side")
        else if (!RowOrdering.isOrderable(time.dataType)) Left(s"${time.sql} has no order")
        else {
          val keys = parts.collect { case key: Key => key }
          Right(
            OuterCondition(
              keys.flatMap(k => key(k.left, k.nullSafe)),
              keys.flatMap(k => key(k.right, k.nullSafe)),
              time,
              lower.headOption.map(_.value),
              upper.headOption.map(_.value)
            )
          )
        }
    }
  }

  /** Limits of a time that some compare in a wider type, as limits in that type; unchanged if the times differ otherwise. */
  private def ofOneTime(limits: Seq[Limit]): Seq[Limit] = {
    val widest = limits.map(_.time).find { time =>
      limits.forall { limit =>
        narrow(limit.time).semanticEquals(narrow(time)) && isExact(limit.time.dataType, time.dataType)
      }
    }
    widest.fold(limits)(time =>
      limits.map { limit =>
        if (limit.time.dataType == time.dataType) limit
        else limit.copy(time, limit.value.copy(child = Cast(limit.value.child, time.dataType)))
      }
    )
  }

  /** The expression without casts to wider types. */
  def narrow(time: Expression): Expression = time match {
    case cast: Cast if isExact(cast.child.dataType, cast.dataType) => narrow(cast.child)
    case other                                                     => other
  }

  /** Whether a cast keeps the order of all values and makes no two equal. */
  private def isExact(from: DataType, to: DataType): Boolean = (from, to) match {
    case (IntegerType | LongType, FloatType) | (LongType, DoubleType) => false
    case (_: NumericType, _: NumericType)                             => Cast.canUpCast(from, to)
    case _ => from == to || from == DateType && to == TimestampNTZType
  }

  /** A key that is compared as bytes: equal numbers have equal bytes, and nulls that equal each other are values. */
  private def key(e: Expression, nullSafe: Boolean): Seq[Expression] =
    if (nullSafe) Seq(GroupingKeys.normalized(Coalesce(Seq(e, Literal.default(e.dataType)))), IsNull(e))
    else Seq(GroupingKeys.normalized(e))
}
