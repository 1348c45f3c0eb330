package org.slidewise.spark.execution.streams

import java.time.Instant

import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.Random

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.functions.expr

import org.slidewise.OneOf

/** Frames of days and months where the clocks change, below other stateful operations, over a stream and over a table. */
class ClockChangeSuite extends StreamSuite {
  import ClockChangeSuite._

  override val munitTimeout: Duration = 10.minutes

  private def over(frame: String) = s"OVER (PARTITION BY k ORDER BY ts $frame)"

  private def above(kind: String)(counted: DataFrame): DataFrame = kind match {
    case "a window" =>
      counted.select(
        expr("k"),
        expr("ts"),
        expr("n"),
        expr("c"),
        expr("sum(c) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 1 HOUR PRECEDING) AS s")
      )
    case _ =>
      counted
        .groupBy(expr("k"), expr("window(ts, '2 hours', '1 hour') AS w"))
        .agg(expr("count(*)"), expr("sum(c)"))
  }

  private val cases = for {
    (zone, change) <- Changes
    (interval, hours) <- Intervals
    frame <- Seq("CURRENT ROW AND % FOLLOWING", "% PRECEDING AND CURRENT ROW", "% PRECEDING AND % FOLLOWING")
    kind <- Seq("a window", "hopping windows")
  } yield (zone, change, interval, hours, frame, kind)

  private val one = new OneOf(70)
  for ((zone, change, interval, hours, frame, kind) <- new Random(1).shuffle(cases))
    test(one(s"$kind above RANGE BETWEEN ${frame.replace("%", interval)} in $zone at $change")) {
      withSettings("spark.sql.session.timeZone" -> zone, "spark.sql.shuffle.partitions" -> 1) {
        val moving = over(s"RANGE BETWEEN ${frame.replace("%", s"INTERVAL $interval")}")
        def query(rows: DataFrame) = above(kind)(rows.withColumn("c", expr(s"count(*) $moving")))
        val batches = batchesAround(Instant.parse(change).getEpochSecond.toInt, hours * 3600)
        val source = events()
        val streamed = running(query(stream(source))) { running =>
          for (batch <- batches :+ Seq((End, Int.MaxValue - 1, 0))) {
            source.addData(batch)
            running.processAllAvailable()
          }
          assertEquals(
            running.recentProgress.flatMap(_.stateOperators).map(_.numRowsDroppedByWatermark).sum,
            0L
          )
          assertEquals(operatorsOf(running).size, if (kind == "a window") 2 else 1)
        }
        val expected =
          withSettings("spark.slidewise.enabled" -> false)(query(table(batches.flatten)).collect())
        assertEquals(ordered(streamed.filter(_.head != End)), ordered(expected.map(_.toSeq).toSet))
      }
    }

  test("the reported case: a day after a row, where the clocks go back in New York") {
    withSettings("spark.sql.session.timeZone" -> "America/New_York", "spark.sql.shuffle.partitions" -> 1) {
      val frame = "RANGE BETWEEN CURRENT ROW AND INTERVAL 1 DAY FOLLOWING"
      def query(rows: DataFrame) = above("a window")(rows.withColumn("c", expr(s"count(*) ${over(frame)}")))
      val times = Seq("10-31T16:00", "11-01T16:30", "11-01T16:31", "11-01T18:00")
      val rows = times.map(t => ("a", Instant.parse(s"2026-${t}:00Z").getEpochSecond.toInt, 1))
      val source = events()
      val streamed = running(query(stream(source))) { running =>
        for (row <- rows :+ ((End, Int.MaxValue - 1, 0))) {
          source.addData(row)
          running.processAllAvailable()
        }
      }
      assertEquals(streamed.filter(_.head != End).map(_(3)), Set[Any](3L, 2L, 1L))
      assertEquals(streamed.count(_.head != End), 4)
    }
  }

  test("the watermark of the next operation never goes back, also where a day is skipped") {
    withSettings("spark.sql.session.timeZone" -> "Pacific/Apia") {
      val source = events()
      val frame = over("RANGE BETWEEN CURRENT ROW AND INTERVAL 1 DAY FOLLOWING")
      running(stream(source).withColumn("c", expr(s"count(*) $frame"))) { query =>
        source.addData(("a", 1, 1))
        query.processAllAvailable()
        val hour = 3600L * 1000
        val begin = Instant.parse("2011-01-01T00:00:00Z").toEpochMilli
        val ends = (0 until 24 * 600).map { i =>
          val watermark = begin + i * hour
          watermark - operatorsOf(query).head.produceOutputWatermark(watermark).get
        }
        assert(ends.forall(e => e >= 24 * hour && e <= 51 * hour), ends.distinct)
        assert(ends.contains(24 * hour) || ends.contains(25 * hour), ends.distinct)
        assert(ends.max >= 48 * hour, ends.distinct)
        assert(ends.zip(ends.tail).forall { case (before, after) => after <= before + hour }, ends.distinct)
      }
    }
  }

  private def table(rows: Seq[Event]): DataFrame = {
    val session = spark
    import session.implicits._
    rows.toDF().selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
  }

  private def ordered(rows: Set[Seq[Any]]): Seq[String] = rows.toSeq.map(r => Row.fromSeq(r).toString).sorted
}

private object ClockChangeSuite {
  val End = "end"

  val Changes: Seq[(String, String)] = Seq(
    "America/New_York" -> "2026-11-01T06:00:00Z",
    "America/New_York" -> "2026-03-08T07:00:00Z",
    "Europe/Berlin" -> "2026-10-25T01:00:00Z",
    "Europe/Berlin" -> "2026-03-29T01:00:00Z",
    "Australia/Lord_Howe" -> "2026-04-04T15:00:00Z",
    "Australia/Lord_Howe" -> "2026-10-03T15:30:00Z",
    "Pacific/Apia" -> "2011-12-30T10:00:00Z"
  )

  /** With their lengths in hours, about. */
  val Intervals: Seq[(String, Int)] =
    Seq("1 DAY" -> 24, "'49' HOUR" -> 49, "2 WEEKS" -> 336, "1 MONTH" -> 720, "'1-1' YEAR TO MONTH" -> 9480)

  /** Rows of two keys around a change of the clocks, and around times an interval before and after it, a little out of order. */
  def batchesAround(change: Int, seconds: Int): Seq[Seq[(String, Int, Int)]] = {
    val random = new Random(change.toLong)
    val around =
      for (center <- Seq(-seconds, 0, seconds); _ <- 1 to 40)
        yield change + center + (random.nextGaussian() * 2.5 * 3600).toInt
    val ordered = around.distinct.sorted.zipWithIndex.map { case (second, i) =>
      (if (random.nextInt(4) == 0) "b" else "a", second, i)
    }
    ordered.grouped(20).toSeq.map(random.shuffle(_))
  }
}
