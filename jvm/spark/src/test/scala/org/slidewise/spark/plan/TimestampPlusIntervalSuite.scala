package org.slidewise.spark.plan

import java.time.{Instant, ZoneId}

import scala.util.{Random, Try}

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeConstants._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

import org.slidewise.spark.shims.SparkExpressions

class TimestampPlusIntervalSuite extends FunSuite {
  private val zones =
    Seq(
      "UTC",
      "+05:30",
      "America/New_York",
      "Europe/Lisbon",
      "Australia/Lord_Howe",
      "Asia/Tehran",
      "Africa/Casablanca"
    )

  for (zone <- zones; kind <- Seq(TimestampType, TimestampNTZType); compiled <- Seq(false, true))
    test(s"$kind in $zone, ${if (compiled) "compiled" else "interpreted"}: as Spark adds") {
      val random = new Random(42)
      val times = timesNear(zone, random)
      val time = BoundReference(0, kind, nullable = true)
      def agree(interval: DataType, by: Any): Unit = {
        val reference = BoundReference(1, interval, nullable = true)
        val ours = evaluator(TimestampPlusInterval(time, reference, zone), compiled)
        val spark = evaluator(SparkExpressions.addInterval(time, reference, zone), compiled = false)
        times.foreach { t =>
          val row = InternalRow(t, by)
          assertEquals(outcome(ours(row)), outcome(spark(row)), s"$t + $by")
        }
      }
      dayTimes(random).foreach(agree(DayTimeIntervalType(), _))
      calendars(random).foreach(agree(CalendarIntervalType, _))
      agree(CalendarIntervalType, null)
    }

  test("within a bound, every addition of an interval is replaced, and nothing else") {
    val time = AttributeReference("t", TimestampType)()
    val day = Literal(MICROS_PER_DAY, DayTimeIntervalType())
    val inner = SparkExpressions.addInterval(time, day, "UTC")
    val bound = If(IsNull(time), SparkExpressions.addInterval(inner, day, "Asia/Tokyo"), time)
    val found = TimestampPlusInterval.within(bound)
    assertEquals(
      found,
      If(
        IsNull(time),
        TimestampPlusInterval(TimestampPlusInterval(time, day, "UTC"), day, "Asia/Tokyo"),
        time
      ): Expression
    )
    assertEquals(found.sql, bound.sql)
  }

  test("a RANGE bound of days moves all keys alike where the offset from UTC is fixed") {
    def shift(zone: String) = Frame
      .KeyBound(
        SortOrder(AttributeReference("t", TimestampType)(), Ascending),
        Literal(-10 * MICROS_PER_DAY, DayTimeIntervalType()),
        zone
      )
      .shift
    assertEquals(shift("UTC"), Some(-10 * MICROS_PER_DAY))
    assertEquals(shift("-03:00"), Some(-10 * MICROS_PER_DAY))
    assertEquals(shift("Europe/Paris"), None)
  }

  private def evaluator(e: Expression, compiled: Boolean): InternalRow => Any =
    if (compiled) {
      val projection = UnsafeProjection.create(Seq(e))
      row => {
        val found = projection(row)
        if (found.isNullAt(0)) null else found.getLong(0)
      }
    } else e.eval(_)

  private def outcome(evaluate: => Any): Any =
    Try(evaluate).fold(error => (error.getClass, error.getMessage), found => found)

  /** Times around changes of the offset, at random, and at the ends of the type. */
  private def timesNear(zone: String, random: Random): Seq[Any] = {
    val rules = ZoneId.of(zone).getRules
    val change = Iterator
      .iterate(rules.nextTransition(Instant.parse("2015-01-01T00:00:00Z")))(c =>
        if (c == null) null else rules.nextTransition(c.getInstant)
      )
      .takeWhile(_ != null)
      .take(6)
      .map(_.getInstant.getEpochSecond * MICROS_PER_SECOND)
      .toSeq
    val hours = Seq(-49, -25, -24, -23, -2, -1, 0, 1, 2, 23, 24, 25, 49).map(_ * MICROS_PER_HOUR)
    val around = for (c <- change; h <- hours; more <- Seq(-1L, 0L, 1L)) yield c + h + more
    val anywhere = Seq.fill(100)(random.nextLong() >> random.nextInt(20))
    val ends = Seq(Long.MinValue, Long.MinValue + 5, -1L, 0L, Long.MaxValue - MICROS_PER_DAY, Long.MaxValue)
    val window =
      Seq("1899-12-31T12:00:00Z", "1900-01-01T06:00:00Z", "2199-12-31T12:00:00Z", "2200-01-01T06:00:00Z")
    around ++ anywhere ++ ends ++ window.map(Instant.parse(_).getEpochSecond * MICROS_PER_SECOND) :+ null
  }

  private def dayTimes(random: Random): Seq[Any] =
    Seq(
      0L,
      1L,
      -1L,
      MICROS_PER_HOUR,
      MICROS_PER_DAY,
      -MICROS_PER_DAY,
      MICROS_PER_DAY + 1,
      -10 * MICROS_PER_DAY - 3
    ) ++
      Seq(Long.MinValue, Long.MaxValue) ++ Seq.fill(10)(random.nextLong() >> random.nextInt(40)) :+ null

  private def calendars(random: Random): Seq[CalendarInterval] =
    for (
      months <- Seq(0, 1); days <- Seq(0, 1, -30, Int.MinValue, Int.MaxValue);
      micros <- Seq(0L, -1L, random.nextLong())
    )
      yield new CalendarInterval(months, days, micros)
}
