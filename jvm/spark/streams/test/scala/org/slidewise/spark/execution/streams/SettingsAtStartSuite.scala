package org.slidewise.spark.execution.streams

import java.time.Instant

import scala.concurrent.duration._

import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.sql.functions.expr

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.StreamRefused

/** Queries whose settings differ between their definition and their start: the start's apply, or the query is refused. */
class SettingsAtStartSuite extends StreamSuite {
  override val munitTimeout: Duration = 10.minutes

  private val Modes = Seq("append", "eager")

  private def inMode[T](mode: String)(body: => T): T =
    withSettings(SlidewiseSettings.StreamMode -> mode)(body)

  private def runs(mode: String, watermark: Boolean, ahead: Boolean): Boolean =
    if (mode == "append") watermark else !ahead

  private def refused(body: => Unit): Boolean =
    try { body; false }
    catch {
      case e: AnalysisException =>
        assertEquals(e.getCondition, StreamRefused.Condition)
        true
    }

  for (defined <- Modes; started <- Modes; watermark <- Seq(true, false); ahead <- Seq(true, false))
    test(
      s"defined in mode $defined, started in $started, with watermark: $watermark, with a frame ahead: $ahead"
    ) {
      val source = events()
      val frame =
        if (ahead) "CURRENT ROW AND INTERVAL 5 SECONDS FOLLOWING"
        else "INTERVAL 5 SECONDS PRECEDING AND CURRENT ROW"
      val plain = source.toDF().selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
      val rows = if (watermark) stream(source) else plain
      var query: Option[DataFrame] = None
      val atDefinition = refused {
        query = Some(
          inMode(defined)(
            rows.withColumn("a", expr(s"count(*) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN $frame)"))
          )
        )
      }
      assertEquals(atDefinition, !runs(defined, watermark, ahead))
      query.foreach { answers =>
        val atStart = refused(inMode(started) {
          val found = running(answers) { query =>
            source.addData(("a", 101, 1), ("a", 103, 1))
            query.processAllAvailable()
            source.addData(("a", 200, 1))
            query.processAllAvailable()
            assertEquals(operatorsOf(query).map(_.options.eager), Seq(started == "eager"))
          }
          val early = found.filter(_(2) == 1).filter(_(1).asInstanceOf[java.sql.Timestamp].getTime < 150000L)
          assertEquals(early.map(_.last), if (ahead) Set[Any](2L, 1L) else Set[Any](1L, 2L))
        })
        assertEquals(atStart, !runs(started, watermark, ahead))
      }
    }

  test("frames of days follow the time zone at the start, as over a table") {
    def at(time: String) = Instant.parse(time).getEpochSecond.toInt
    val day = "count(*) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 1 DAY PRECEDING)"
    // The clocks go forward between them: 23.5 hours, and a day and half an hour in New York.
    val rows = Seq(("a", at("2026-03-07T17:00:00Z"), 1), ("a", at("2026-03-08T16:30:00Z"), 1))
    val session = spark
    import session.implicits._
    val zone = "spark.sql.session.timeZone"
    for ((defined, started, count) <- Seq(("UTC", "America/New_York", 1L), ("America/New_York", "UTC", 2L))) {
      val source = events()
      val (answers, table) = withSettings(zone -> defined) {
        val history = rows.toDF().selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts")
        (stream(source).withColumn("a", expr(day)), history.withColumn("a", expr(day)))
      }
      withSettings(zone -> started) {
        val found = running(answers) { query =>
          source.addData(rows: _*)
          query.processAllAvailable()
          source.addData(("end", at("2026-05-01T00:00:00Z"), 1))
          query.processAllAvailable()
        }
        assertEquals(found.filter(_.head == "a").map(_.last), Set[Any](1L, count))
        assertEquals(table.collect().map(_.getLong(2)).toSet, Set(1L, count))
      }
    }
  }
}
