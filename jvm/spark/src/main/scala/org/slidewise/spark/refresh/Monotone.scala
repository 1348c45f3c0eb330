package org.slidewise.spark.refresh

import java.time.Duration

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Derives conditions on columns that grow with an order key, such as the day of a time. A range of the key implies a range of such a
 * column, which prunes partitions and files.
 */
private[refresh] object Monotone {

  /**
   * A condition that holds in all rows whose key is in the range; none if no column limits the rows.
   *
   * @param columns
   *   columns, each with its canonical definition
   * @param key
   *   the canonical definition of the order key
   * @param keepNulls
   *   whether the condition also holds in rows whose key is null
   */
  def within(
      columns: Seq[(Expression, Expression)],
      key: Expression,
      range: KeyRange,
      keepNulls: Boolean
  ): Option[Expression] = {
    val ofColumn = columns.filter { case (place, definition) =>
      definition != key && place.dataType == definition.dataType && grows(definition, key)
    }
    val conditions = ofColumn.flatMap { case (place, definition) => limits(place, definition, key, range) } ++
      calendarOf(columns, key, range)
    // If the key is null, all columns that grow with it are null.
    conditions.reduceOption[Expression](And(_, _)).map { condition =>
      if (keepNulls) Or(condition.references.map(IsNull(_)).reduce[Expression](Or(_, _)), condition)
      else condition
    }
  }

  private def limits(
      place: Expression,
      definition: Expression,
      key: Expression,
      range: KeyRange
  ): Option[Expression] = {
    val first = range.first.flatMap(valueAt(definition, key, _, -1))
    val last = range.last.flatMap(valueAt(definition, key, _, 1))
    (first, last) match {
      case (Some(Literal(a: UTF8String, _)), Some(Literal(b: UTF8String, _))) =>
        // Text of dates is in the order of dates as long as years have four digits.
        if (a.numChars == b.numChars && !a.toString.startsWith("-") && !b.toString.startsWith("+"))
          KeyRange(first, last).contains(place)
        else None
      case _ if place.dataType == StringType => None
      case _                                 => KeyRange(first, last).contains(place)
    }
  }

  /** The conditions on the columns for the year, the month of the year and so on, which grow with time only together. */
  private def calendarOf(
      columns: Seq[(Expression, Expression)],
      key: Expression,
      range: KeyRange
  ): Seq[Expression] = {
    val parts = columns.flatMap { case (place, definition) =>
      for {
        (rank, time) <- rankOf(definition) if grows(time, key) && place.dataType == definition.dataType
      } yield (timeOf(time), (rank, place, definition))
    }
    parts.groupBy(_._1).values.toSeq.flatMap(ofOneTime => calendarOfOne(ofOneTime.map(_._2), key, range))
  }

  /** The time, without a cast that leaves its calendar as it is. */
  private def timeOf(part: Expression): Expression = part match {
    case cast: Cast if cast.dataType == DateType && keepsOrder(cast.child.dataType, DateType) => cast.child
    case other                                                                                => other
  }

  /** The condition on parts of one time, each with its rank, the year's first. */
  private def calendarOfOne(
      parts: Seq[(Int, Expression, Expression)],
      key: Expression,
      range: KeyRange
  ): Option[Expression] = {
    // Without the year, a month does not grow with time.
    val inOrder =
      parts.sortBy(_._1).zipWithIndex.takeWhile { case ((rank, _, _), at) => rank == at }.map(_._1)
    def limit(end: Option[Literal], side: Int): Option[Expression] =
      for {
        value <- end
        limits = inOrder.map { case (_, place, definition) =>
          valueAt(definition, key, value, side).map(place -> _)
        }
        if limits.size > 1 && limits.forall(_.isDefined)
      } yield beyond(limits.flatten, side)
    (limit(range.first, -1).toSeq ++ limit(range.last, 1)).reduceOption[Expression](And(_, _))
  }

  private def rankOf(e: Expression): Option[(Int, Expression)] = e match {
    case Year(time)       => Some(0 -> time)
    case Month(time)      => Some(1 -> time)
    case DayOfMonth(time) => Some(2 -> time)
    case Hour(time, _)    => Some(3 -> time)
    case _                => None
  }

  /** Whether the columns, compared lexicographically, are at least the limits if `side` is -1, and otherwise at most the limits. */
  private def beyond(limits: Seq[(Expression, Literal)], side: Int): Expression = {
    val (place, value) = limits.head
    def strictly = if (side < 0) GreaterThan(place, value) else LessThan(place, value)
    if (limits.size > 1) Or(strictly, And(EqualTo(place, value), beyond(limits.tail, side)))
    else if (side < 0) GreaterThanOrEqual(place, value)
    else LessThanOrEqual(place, value)
  }

  /** Whether a definition never falls as the key grows, except in hours that clocks repeat, and is null if the key is null. */
  private def grows(definition: Expression, key: Expression): Boolean =
    definition == key || (definition match {
      case cast: Cast => keepsOrder(cast.child.dataType, cast.dataType) && grows(cast.child, key)
      case TruncTimestamp(unit, e, _)  => unit.foldable && grows(e, key)
      case TruncDate(e, unit)          => unit.foldable && grows(e, key)
      case DateFormatClass(e, text, _) => isSorted(text) && grows(e, key)
      case Year(e)                     => grows(e, key)
      case UnixDate(e)                 => grows(e, key)
      case UnixSeconds(e)              => grows(e, key)
      case UnixMillis(e)               => grows(e, key)
      case UnixMicros(e)               => grows(e, key)
      case DateAdd(e, days)            => days.foldable && grows(e, key)
      case DateSub(e, days)            => days.foldable && grows(e, key)
      case divide: IntegralDivide      => isPositive(divide.right) && grows(divide.left, key)
      case _                           => false
    })

  private def isPositive(e: Expression): Boolean = e.foldable && (e.eval() match {
    case number: Number => number.longValue > 0
    case _              => false
  })

  private def keepsOrder(from: DataType, to: DataType): Boolean = (from, to) match {
    case (TimestampType, DateType | TimestampNTZType | LongType) => true
    case (TimestampNTZType, DateType)                            => true
    case (DateType, TimestampType | TimestampNTZType)            => true
    case (DateType, kind)                                        => kind == StringType
    case (ByteType | ShortType | IntegerType, LongType)          => true
    case _                                                       => false
  }

  /** Whether texts of the pattern sort in the order of time, for years of four digits. */
  private def isSorted(pattern: Expression): Boolean = pattern match {
    case Literal(text: UTF8String, _) => Sorted.matcher(text.toString).matches
    case _                            => false
  }

  private val Sorted = "yyyy(\\W?MM(\\W?dd(\\W?HH(\\W?mm)?)?)?)?".r.pattern

  /**
   * The value of a definition at one end of a range of the key: at its start if `side` is -1. None if the definition has no value
   * there.
   */
  private def valueAt(definition: Expression, key: Expression, end: Literal, side: Int): Option[Literal] =
    for {
      at <- endOf(definition, key, end, side)
      bound = definition.transform { case e if e == key => at }
      value <- Try(Option(bound.eval())).toOption.flatten
    } yield Literal(value, definition.dataType)

  private def endOf(definition: Expression, key: Expression, end: Literal, side: Int): Option[Literal] =
    (key.dataType, end.value) match {
      case (TimestampType, micros: Long) if definition.exists(_.isInstanceOf[TimeZoneAwareExpression]) =>
        Some(Literal(beforeClocksGoBack(micros, side), TimestampType))
      case (kind, _) if kind == end.dataType        => Some(end)
      case (IntegerType, at: Long) if at.isValidInt => Some(Literal(at.toInt))
      case _                                        => None
    }

  /**
   * The bound, moved outwards if clocks go back near it: to an earlier instant if `side` is -1, otherwise to a later one. Local
   * times repeat there, so that those of the bound itself do not limit the range.
   */
  private def beforeClocksGoBack(micros: Long, side: Int): Long = {
    val rules = DateTimeUtils.getZoneId(SQLConf.get.sessionLocalTimeZone).getRules
    val instant = DateTimeUtils.microsToInstant(micros)
    val transition =
      if (side < 0) rules.nextTransition(instant.minusNanos(1))
      else rules.previousTransition(instant.plusNanos(1))
    if (transition == null || !transition.isOverlap) micros
    else {
      val back = transition.getDuration.abs
      val isNear = Duration.between(instant, transition.getInstant).abs.compareTo(back) <= 0
      if (isNear) Math.addExact(micros, side * back.toNanos / 1000) else micros
    }
  }
}
