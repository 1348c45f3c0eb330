package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.OUTER_REFERENCE
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.{GroupingKeys, GuardedCondition}
import org.slidewise.spark.plan.{FramedAggregate, RowValue}

/**
 * The conditions that correlate the rows of a subquery with an outer row, in the form of a window: equal keys and a range of time.
 *
 * @param leftKeys
 *   the keys of an outer row
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

  /** A call of the aggregate over the rows of the subquery in the window of an outer row. */
  def call(
      function: AggregateFunction,
      filter: Option[Expression] = None,
      rowOfNulls: Boolean = false
  ): Alias = Alias(
    FramedAggregate(function, filter, SortOrder(time, Ascending), lower, upper, rowOfNulls),
    "_call"
  )()

  /** The condition in terms of a time that orders rows as `e` does; none if there is no such time. */
  def inOrderOf(e: Expression): Option[OuterCondition] =
    Seq(this, innermost).find { condition =>
      SolvedCondition.withOrderOf(e).exists(narrow(_).semanticEquals(narrow(condition.time)))
    }

  /** The condition, solved for the innermost expression of the time for which it can be solved. */
  def innermost: OuterCondition = {
    val limits = this.limits.map(SolvedCondition.innermost)
    if (limits.isEmpty || limits.exists(!_.time.semanticEquals(limits.head.time))) this
    else
      copy(
        time = limits.head.time,
        lower = limits.find(_.isLower).map(_.value),
        upper = limits.find(!_.isLower).map(_.value)
      )
  }

  private def limits: Seq[Limit] =
    (lower.map(Limit(time, _, isLower = true)) ++ upper.map(Limit(time, _, isLower = false))).toSeq

  /** The condition together with others on the same time; or the reason why their conjunction does not have the form of a window. */
  def and(conditions: Seq[Expression]): Either[String, OuterCondition] =
    OuterCondition.partsOf(conditions).flatMap(OuterCondition.together(_, limits)).flatMap { both =>
      if (both.rightKeys.nonEmpty) Left("an aggregate has a condition by equality")
      else if (!both.time.semanticEquals(time)) Left(s"${both.time.sql} and ${time.sql} are limited")
      else Right(both.copy(leftKeys = leftKeys, rightKeys = rightKeys))
    }

  /**
   * The conditions that a row of the subquery must meet to belong to the window of any outer row. The time does not fail; a key may
   * fail for a row without a time, which Spark drops first.
   */
  def required: Seq[Expression] = (time +: rightKeys).filter(_.nullable).map(IsNotNull(_))
}

private[joins] object OuterCondition {

  /**
   * @param conditions
   *   the conjuncts, each with a reference to the outer query
   * @return
   *   the conditions, or the reason why they do not have the form of a window
   */
  def of(conditions: Seq[Expression]): Either[String, OuterCondition] =
    partsOf(conditions).flatMap(together(_, Nil))

  private def partsOf(conditions: Seq[Expression]): Either[String, Seq[Part]] = {
    val parts = conditions.map(partOf)
    parts.collectFirst { case Left(reason) => reason }.toLeft(parts.collect { case Right(part) => part })
  }

  /** The reason if no condition compares times of the two tables. It applies to most subqueries, and is not reported. */
  val NoRange: String = "no condition compares a time of the two tables"

  private sealed trait Part
  final private case class Key(left: Expression, right: Expression, nullSafe: Boolean) extends Part
  final private case class Range(limit: Limit) extends Part
  final private case class OfLeft(condition: Expression) extends Part

  private def partOf(condition: Expression): Either[String, Part] = condition match {
    case EqualTo(a, b) if sides(a, b).isDefined =>
      sides(a, b).map { case (left, right, _) => Key(left, right, nullSafe = false) }.toRight("")
    case EqualNullSafe(a, b) if sides(a, b).isDefined =>
      sides(a, b).map { case (left, right, _) => Key(left, right, nullSafe = true) }.toRight("")
    case other if other.references.isEmpty => Right(OfLeft(asLeft(other)))
    case other                             => limitOf(other).map(Range(_))
  }

  /** The limit that the condition sets for a time of the right row; or the reason why it sets none. */
  private def limitOf(condition: Expression): Either[String, Limit] = condition match {
    case GreaterThan(a, b)        => limit(a, b, isLower = true, isInside = false)
    case GreaterThanOrEqual(a, b) => limit(a, b, isLower = true, isInside = true)
    case LessThan(a, b)           => limit(a, b, isLower = false, isInside = false)
    case LessThanOrEqual(a, b)    => limit(a, b, isLower = false, isInside = true)
    case _                        =>
      Left(s"the condition ${condition.sql} is neither an equality nor a comparison of the two tables")
  }

  /** The limit that `a > b` sets if `isLower`, and otherwise `a < b`. */
  private def limit(
      a: Expression,
      b: Expression,
      isLower: Boolean,
      isInside: Boolean
  ): Either[String, Limit] =
    sides(a, b) match {
      case Some((left, right, isSwapped)) =>
        Right(Limit(right, RowValue(left, isInside), isLower != isSwapped))
      case None if b.references.isEmpty => SolvedCondition.limit(a, RowValue(b, isInside), isLower)
      case None if a.references.isEmpty => SolvedCondition.limit(b, RowValue(a, isInside), !isLower)
      case None                         => Left(s"both sides of ${a.sql} and ${b.sql} read the other table")
    }

  /**
   * Of two expressions, the one over the outer row, the one over the right row, and whether `a` is the former. None if they are not
   * one of each.
   */
  private def sides(a: Expression, b: Expression): Option[(Expression, Expression, Boolean)] =
    if (isOfRight(a) && isOfLeft(b)) Some((asLeft(b), a, false))
    else if (isOfLeft(a) && isOfRight(b)) Some((asLeft(a), b, true))
    else None

  private def isOfRight(e: Expression) = e.references.nonEmpty && !isOuter(e)
  private def isOfLeft(e: Expression) = e.references.isEmpty && isOuter(e)

  /** Whether the expression has a reference to the outer query. */
  def isOuter(e: Expression): Boolean = e.containsPattern(OUTER_REFERENCE)

  def isOuter(plan: LogicalPlan): Boolean = plan.containsPattern(OUTER_REFERENCE)

  /** The expression, with outer references replaced by columns of the outer row. */
  def asLeft(e: Expression): Expression = e.transform { case OuterReference(attribute) => attribute }

  /** The expression, with columns of `left` replaced by outer references. */
  def asOuter(e: Expression, left: LogicalPlan): Expression = e.transform {
    case a: Attribute if left.outputSet.contains(a) => OuterReference(a)
  }

  private def together(parts: Seq[Part], others: Seq[Limit]): Either[String, OuterCondition] = {
    val keys = parts.collect { case key: Key => key }
    for {
      limits <- ofOneTime(others ++ parts.collect { case Range(limit) => limit })
        .map(onlyIf(parts.collect { case OfLeft(condition) => condition }, _))
      (lower, upper) = limits.partition(_.isLower)
      time = limits.head.time
      least <- Limit.innermost(lower)
      greatest <- Limit.innermost(upper)
    } yield OuterCondition(
      keys.flatMap(k => key(k.left, k.nullSafe)),
      keys.flatMap(k => key(k.right, k.nullSafe)),
      time,
      least.map(_.value),
      greatest.map(_.value)
    )
  }

  /** The limits, changed so that no right row meets them if a condition on the left row is not true. */
  private def onlyIf(conditions: Seq[Expression], limits: Seq[Limit]): Seq[Limit] =
    conditions.reduceOption(And).fold(limits) { all =>
      val Limit(time, value, isLower) = limits.head
      Limit(time, value.copy(child = GuardedCondition.valueIf(all, value.child)), isLower) +: limits.tail
    }

  /** The limits, at least one, in terms of a single time; or the reason why there is no such time. */
  private def ofOneTime(limits: Seq[Limit]): Either[String, Seq[Limit]] = {
    val found = inOneType(limits)
    def areOfOne(limits: Seq[Limit]) = limits.forall(_.time.semanticEquals(limits.head.time))
    if (limits.isEmpty) Left(NoRange)
    else {
      // The time is computed for all right rows, and must not fail for those that Spark compares with no left row.
      val one =
        if (areOfOne(found) && TotalBound.isTotal(found.head.time)) found
        else Some(inOneType(found.map(SolvedCondition.innermost))).filter(areOfOne).getOrElse(found)
      if (!areOfOne(one)) {
        val several = limits.map(_.time.sql).distinct.mkString(", ")
        val remedy = found
          .map(limit => SolvedCondition.innermost(limit).time)
          .find(!narrow(_).isInstanceOf[Attribute])
          .map(SolvedCondition.whyNot)
        Left(s"the conditions limit several expressions: $several" + remedy.fold("")("; " + _))
      } else if (TotalBound.mayFail(one.head.time))
        Left(s"${one.head.time.sql} may fail for rows that Spark compares with no row of the other table")
      else if (!RowOrdering.isOrderable(one.head.time.dataType)) Left(s"${one.head.time.sql} has no order")
      else Right(one)
    }
  }

  /**
   * Converts limits of one time to the widest type in which one of them compares it. Returns the limits unchanged if their times
   * differ in more than the type.
   */
  private def inOneType(limits: Seq[Limit]): Seq[Limit] = {
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

  /** Whether a cast keeps the order of all values, and different values stay different. */
  private def isExact(from: DataType, to: DataType): Boolean = (from, to) match {
    case (IntegerType | LongType, FloatType) | (LongType, DoubleType) => false
    case (_: NumericType, _: NumericType)                             => Cast.canUpCast(from, to)
    case _ => from == to || from == DateType && to == TimestampNTZType
  }

  /**
   * The parts of a key, which Slidewise compares as bytes. Equal numbers have equal bytes. If `nullSafe`, a null becomes a default
   * value and a flag.
   */
  def key(e: Expression, nullSafe: Boolean): Seq[Expression] =
    if (nullSafe) Seq(GroupingKeys.normalized(Coalesce(Seq(e, Literal.default(e.dataType)))), IsNull(e))
    else Seq(GroupingKeys.normalized(e))
}
