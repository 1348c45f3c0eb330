package org.slidewise.spark.planning.joins

import scala.util.Try

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.RowValue
import org.slidewise.spark.shims.SparkExpressions

/** The range that a condition is solved to holds the pairs of values for which Spark says that the condition is true. */
class SolvedConditionSuite extends FunSuite {
  import SolvedConditionSuite._

  for ((name, kind, other, cases) <- all) test(s"as Spark: $name") {
    val e = AttributeReference("e", kind)()
    val l = AttributeReference("l", other)()
    for (
      compared <- cases(e, l); compare <- comparisons;
      condition <- Seq(compare(compared._1, compared._2), compare(compared._2, compared._1))
    ) check(condition, e, l)
  }

  private def check(condition: Expression, e: Attribute, l: Attribute): Unit = {
    val outer = condition.transform { case a: Attribute if a.exprId == l.exprId => OuterReference(l) }
    val solved = OuterCondition.of(Seq(outer)) match {
      case Right(found) => Seq(found, found.innermost)
      case Left(reason) => fail(s"${condition.sql}: $reason")
    }
    def bound(expression: Expression, of: Attribute*) =
      BindReferences.bindReference(expression, AttributeSeq(of))
    val spark = bound(condition, e, l)
    for (range <- solved) {
      val time = bound(range.time, e)
      val ends = (range.lower.map(_ -> true) ++ range.upper.map(_ -> false)).map {
        case (RowValue(value, in, _), lower) =>
          (bound(TotalBound.of(value, lower).getOrElse(value), l), bound(value, l), in, lower)
      }
      for (
        right <- valuesOf(e.dataType); left <- valuesOf(l.dataType);
        expected <- Try(spark.eval(InternalRow(right, left))).toOption
      ) {
        val at = number(time.eval(InternalRow(right)))
        val found = at.isDefined && ends.forall { case (total, value, in, lower) =>
          val limit = value.eval(InternalRow(left))
          assertEquals(total.eval(InternalRow(left)), limit)
          (for (t <- at; b <- number(limit)) yield {
            val order = if (lower) t.compare(b) else b.compare(t)
            order > 0 || in && order == 0
          }).getOrElse(false)
        }
        assertEquals(
          found,
          expected == true,
          s"${condition.sql} for e = $right and l = $left, as ${range.lower} ${range.upper}"
        )
      }
    }
  }
}

private object SolvedConditionSuite {
  type Compared = (Expression, Expression)

  val comparisons: Seq[(Expression, Expression) => Expression] =
    Seq(GreaterThan(_, _), GreaterThanOrEqual(_, _), LessThan(_, _), LessThanOrEqual(_, _))

  def number(value: Any): Option[Long] = Option(value).map(_.asInstanceOf[Number].longValue)

  /** Values at the ends of the type, around zero, and around whole seconds and days. */
  def valuesOf(kind: DataType): Seq[Any] = {
    val near = Seq(-61L, -60L, -7L, -5L, -2L, -1L, 0L, 1L, 2L, 5L, 8L, 60L)
    val day = 86400000000L
    null +: (kind match {
      case ByteType               => Seq(-128, -127, -124, -1, 0, 3, 5, 126, 127).map(_.toByte)
      case IntegerType | DateType =>
        (near ++ Seq(0, 1, 6).flatMap(n => Seq(Int.MinValue.toLong + n, Int.MaxValue.toLong - n)))
          .map(_.toInt)
      case LongType => near ++ Seq(0L, 1L, 6L).flatMap(n => Seq(Long.MinValue + n, Long.MaxValue - n))
      case _        =>
        near ++ Seq(0L, 1L, day).flatMap(n => Seq(Long.MinValue + n, Long.MaxValue - n)) ++
          (for (of <- Seq(-day, -60000000L, -1000000L, 1000000L, 60000000L, 2 * day); n <- Seq(-1L, 0L, 1L))
            yield of + n)
    })
  }

  private def interval(micros: Long) = Literal(micros, DayTimeIntervalType())
  private def moved(e: Expression, micros: Long, zone: String) =
    SparkExpressions.addInterval(e, interval(micros), zone)
  private def add(a: Expression, b: Expression) = underAnsi(Add(a, b))
  private def minus(a: Expression, b: Expression) = underAnsi(Subtract(a, b))

  /** The constructors of Catalyst take the mode from the configuration. */
  private def underAnsi[A](make: => A): A = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.ansi.enabled", "true")
    SQLConf.withExistingConf(conf)(make)
  }

  private def ofIntegers(kind: DataType)(e: Expression, l: Expression): Seq[Compared] = {
    def of(n: Int) = Literal(Cast(Literal(n), kind).eval(), kind)
    Seq(
      add(e, of(5)) -> l,
      minus(e, of(5)) -> l,
      minus(l, e) -> of(-2),
      minus(e, l) -> of(5),
      add(l, minus(e, of(2))) -> of(3),
      minus(of(1), minus(e, l)) -> of(0)
    )
  }

  private def ofTimes(zone: String)(e: Expression, l: Expression): Seq[Compared] = {
    def seconds(of: Expression) = UnixTimestamp(of, Literal("yyyy"), Some(zone))
    def day(of: Expression) = Cast(of, DateType, Some(zone))
    Seq(
      moved(e, 3600000000L, zone) -> l,
      moved(e, -86400000000L * 2 - 1, zone) -> l,
      SubtractTimestamps(l, e, legacyInterval = false, Some(zone)) -> interval(86400000000L),
      SubtractTimestamps(e, moved(l, 1L, zone), legacyInterval = false, Some(zone)) -> interval(-1L),
      minus(seconds(l), seconds(e)) -> Literal(60L),
      minus(Cast(e, LongType, Some(zone)), Cast(l, LongType, Some(zone))) -> Literal(-1L),
      minus(UnixMillis(l), UnixMillis(e)) -> Literal(1000L),
      DateDiff(day(e), day(l)) -> Literal(-1),
      SubtractDates(day(l), day(e), legacyInterval = false) -> interval(86400000001L)
    ) ++ (for (unit <- Seq("SECOND", "MINUTE", "DAY"); n <- Seq(-1L, 0L, 1L))
      yield TimestampDiff(unit, e, l, Some(zone)) -> Literal(n))
  }

  private def ofDates(e: Expression, l: Expression): Seq[Compared] =
    for (micros <- Seq(-86400000001L, -86400000000L, 0L, 1L, 86400000000L * 7 - 1))
      yield SubtractDates(l, e, legacyInterval = false) -> interval(micros)

  private def midnights(zone: String)(e: Expression, l: Expression): Seq[Compared] =
    Seq(
      Cast(e, TimestampType, Some(zone)) -> l,
      Cast(e, TimestampNTZType, Some(zone)) -> Cast(l, TimestampNTZType, Some(zone))
    )

  private def ofZone(e: Expression, l: Expression): Seq[Compared] = Seq(
    Cast(e, TimestampType, Some("+05:30")) -> l
  )

  private def ofLocalTimes(e: Expression, l: Expression): Seq[Compared] = Seq(
    moved(e, 86400000000L, "Asia/Tokyo") -> l,
    SubtractTimestamps(l, e, legacyInterval = false, Some("Asia/Tokyo")) -> interval(86400000000L)
  )

  val all: Seq[(String, DataType, DataType, (Expression, Expression) => Seq[Compared])] = Seq(
    ("bytes", ByteType, ByteType, ofIntegers(ByteType)),
    ("ints", IntegerType, IntegerType, ofIntegers(IntegerType)),
    ("longs", LongType, LongType, ofIntegers(LongType)),
    ("timestamps", TimestampType, TimestampType, ofTimes("UTC")),
    ("timestamps in a zone", TimestampType, TimestampType, ofTimes("+05:30")),
    ("timestamps without zone", TimestampNTZType, TimestampNTZType, ofLocalTimes),
    ("timestamps with and without zone", TimestampNTZType, TimestampType, ofZone),
    ("dates", DateType, DateType, ofDates),
    ("dates and timestamps", DateType, TimestampType, midnights("UTC")),
    ("dates and timestamps in a zone", DateType, TimestampType, midnights("-08:00"))
  )
}
