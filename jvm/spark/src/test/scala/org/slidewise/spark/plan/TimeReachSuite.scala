package org.slidewise.spark.plan

import java.time.{Instant, ZoneId}
import java.time.zone.ZoneOffsetTransition

import scala.util.Random

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/** The longest reach against times that Spark's own arithmetic moves, around changes of the clocks in every zone. */
class TimeReachSuite extends FunSuite {
  private val Day = 86400000000L
  private val Hour = Day / 24

  private val intervals: Seq[Literal] = {
    def dayTime(micros: Long) = Literal(micros, DayTimeIntervalType())
    def yearMonth(months: Int) = Literal(months, YearMonthIntervalType())
    def calendar(months: Int, days: Int, micros: Long) =
      Literal(new CalendarInterval(months, days, micros), CalendarIntervalType)
    Seq(
      dayTime(Hour),
      dayTime(Day - 1),
      dayTime(Day),
      dayTime(Day + Hour),
      dayTime(7 * Day),
      dayTime(90 * Day)
    ) ++
      Seq(1, 2, 12, 14, 49).map(yearMonth) ++
      Seq(
        calendar(0, 1, 0),
        calendar(1, 1, Hour),
        calendar(1, -1, 0),
        calendar(0, 1, -Hour),
        calendar(0, 0, 5)
      )
  }

  private def boundOver(dataType: DataType, offset: Expression, zone: String) =
    Frame.KeyBound(SortOrder(BoundReference(0, dataType, nullable = false), Ascending), offset, zone)

  private def micros(at: Instant) = at.getEpochSecond * 1000000L

  test("no addition takes longer than the longest reach from its begin or end, in any zone and direction") {
    val random = new Random(43)
    val zones = ZoneId.getAvailableZoneIds.toArray(Array.empty[String]).sorted.toSeq
    val named =
      Seq("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Manila", "UTC")
    for (zone <- named ++ random.shuffle(zones).take(12); interval <- intervals) {
      val rules = ZoneId.of(zone).getRules
      val changes = rules.getTransitions.toArray(Array.empty[ZoneOffsetTransition]).toSeq.map(_.getInstant)
      val near =
        random.shuffle(changes).take(8) ++ changes.takeRight(2) :+ Instant.parse("2040-03-20T00:00:00Z")
      for (bound <- Seq(interval, Literal(UnaryMinus(interval).eval(), interval.dataType))) {
        val moved = boundOver(TimestampType, bound, zone)
        val after = TimeReach.after(moved)
        val before = TimeReach.before(moved)
        val nominal = TimeReach.after(boundOver(TimestampNTZType, bound, zone)).longest(0L)
        for (
          change <- near; delta <- Seq.fill(6)((random.nextDouble() * 6 * Day).toLong - 3 * Day);
          time <- Seq(micros(change) + delta, micros(change) + delta - nominal)
        ) {
          val result = moved.value.eval(InternalRow(time)).asInstanceOf[Long]
          def says = s"$zone: $time + ${bound.sql} = $result"
          for (known <- Seq(time, result)) {
            assert(result - time <= after.longest(known), says)
            assert(time - result <= before.longest(known), says)
          }
        }
      }
    }
  }

  test("the reach of days is exact without a zone and where the clocks never change") {
    for (
      days <- Seq(1, 7, 366);
      (kind, zone) <- Seq(TimestampNTZType -> "Europe/Berlin", TimestampType -> "+05:30")
    ) {
      val bound = Literal(days * Day + Hour, DayTimeIntervalType())
      assertEquals(TimeReach.after(boundOver(kind, bound, zone)).longest(0L), days * Day + Hour)
      assertEquals(TimeReach.before(boundOver(kind, UnaryMinus(bound), zone)).longest(0L), days * Day + Hour)
    }
  }

  test(
    "a day takes an hour longer at most where summer time is the only change of the clocks in these years"
  ) {
    val time = micros(Instant.parse("2026-06-01T00:00:00Z"))
    for (
      (zone, longer) <- Seq(
        "America/New_York" -> Hour,
        "Australia/Lord_Howe" -> Hour / 2,
        "Asia/Manila" -> 0L
      )
    )
      assertEquals(
        TimeReach.after(boundOver(TimestampType, Literal(Day, DayTimeIntervalType()), zone)).longest(time),
        Day + longer
      )
  }

  test("an interval beyond the range of times reaches to its end") {
    val bound = Literal(new CalendarInterval(0, Int.MaxValue, 0), CalendarIntervalType)
    val reach = TimeReach.after(boundOver(TimestampType, bound, "Europe/Berlin"))
    assertEquals(reach.longest(0L), Long.MaxValue)
  }
}
