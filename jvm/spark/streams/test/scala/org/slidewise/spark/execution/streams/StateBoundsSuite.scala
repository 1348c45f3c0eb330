package org.slidewise.spark.execution.streams

import java.nio.file.Path

import scala.concurrent.duration.{Duration, DurationInt}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.streaming.{StateOperatorProgress, StreamingQuery}

/** When the state of a key ends, for each kind of frame, as `docs/streams.md` has it. */
class StateBoundsSuite extends StreamSuite {
  override val munitTimeout: Duration = 10.minutes

  private val Timeout = "spark.slidewise.streaming.keyTimeout"
  private val End = "end"
  private val Day = 86400

  private def over(frame: String) = s"OVER (PARTITION BY k ORDER BY ts $frame)"

  private def table(rows: Seq[Event]): DataFrame = {
    val session = spark
    import session.implicits._
    rows.toDF().selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
  }

  private def windows(query: StreamingQuery): Seq[StateOperatorProgress] =
    query.recentProgress.toSeq.flatMap(_.stateOperators).filter(_.operatorName == "slidingWindow")

  private def last(query: StreamingQuery, metric: String): Long =
    windows(query).last.customMetrics.get(metric)

  /** The number of the state's cells in each section. */
  private def sections(checkpoint: Path): Map[Int, Long] =
    spark.read
      .format("statestore")
      .load(checkpoint.toString)
      .groupBy("key.section")
      .count()
      .collect()
      .map(r => r.getInt(0) -> r.getLong(1))
      .toMap

  // The frames, the timeout, how many days a key is needed after its last row, and whether it is dropped then.
  private val kinds: Seq[(String, Option[String], Double, Boolean)] = Seq(
    (s"sum(n) ${over("RANGE INTERVAL '23:59:59' HOUR TO SECOND PRECEDING")}", None, 1, true),
    (s"sum(n) ${over("RANGE INTERVAL 24 HOURS PRECEDING")}", None, 1, true),
    (
      s"sum(n) ${over("RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND INTERVAL 1 DAY PRECEDING")}",
      None,
      7,
      true
    ),
    (s"count(DISTINCT n) ${over("RANGE INTERVAL 1 MONTH PRECEDING")}", None, 31, true),
    (s"median(n) ${over("RANGE INTERVAL '1-2' YEAR TO MONTH PRECEDING")}", None, 428, true),
    (s"max(n) ${over("RANGE BETWEEN CURRENT ROW AND INTERVAL 2 DAYS FOLLOWING")}", None, 2, true),
    (
      s"max(n) ${over("RANGE BETWEEN INTERVAL 1 HOUR PRECEDING AND INTERVAL 1 HOUR FOLLOWING")}",
      Some("1 minute"),
      0.05,
      true
    ),
    (s"sum(n) ${over("ROWS 1 PRECEDING")}", None, 0, false),
    (s"sum(n) ${over("ROWS 1 PRECEDING")}", Some("3 days"), 3, true),
    (s"count(DISTINCT n) ${over("ROWS 1 PRECEDING")}", Some("3 days"), 3, true),
    (s"lag(n) ${over("")}", Some("3 days"), 3, true),
    (s"lead(n, 2, -1) ${over("")}", None, 0, false),
    (s"lead(n, 2, -1) ${over("")}", Some("3 days"), 3, true),
    (s"collect_list(n) ${over("ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING")}", Some("3 days"), 3, true),
    (s"row_number() ${over("")}", Some("3 days"), 3, true),
    (s"sum(n) ${over("RANGE UNBOUNDED PRECEDING")}", Some("3 days"), 3, true),
    (
      s"sum(n) ${over("RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 5 DAYS FOLLOWING")}",
      Some("3 days"),
      5,
      true
    ),
    (s"approx_sum(n, 1000, 0.1) ${over("ROWS 99 PRECEDING")}", Some("3 days"), 3, true),
    // The longest of two frames.
    (
      s"struct(sum(n) ${over("RANGE INTERVAL 7 DAYS PRECEDING")}, lag(n) ${over("")})",
      Some("3 days"),
      7,
      true
    )
  )

  for ((answer, timeout, days, ends) <- kinds)
    test(
      s"$answer, timeout ${timeout.getOrElse("none")}: ${if (ends) "idle keys end" else "keys stay"}"
    ) {
      withSettings(
        Seq("spark.sql.session.timeZone" -> "Europe/Berlin", "spark.sql.shuffle.partitions" -> "1") ++
          timeout.map(Timeout -> _): _*
      ) {
        val source = events()
        val checkpoint = temporary()
        val begin = 1790000000
        val rows = for (k <- 1 to 5; i <- 0 to 2) yield (s"k$k", begin + 10 * i + k, i)
        val needed = (days * Day).toInt
        val streamed = running(stream(source).withColumn("a", expr(answer)), checkpoint) { query =>
          def arrive(rows: Seq[Event]): Unit = {
            source.addData(rows)
            query.processAllAvailable()
          }
          arrive(rows)
          if (days > 0.05) { // an hour before the frames are complete
            arrive(Seq((End, begin + needed - 3600, 0)))
            assertEquals(last(query, "liveKeys"), 6L)
          }
          // Days may have 25 hours, and months 31 days.
          arrive(Seq((End, begin + 2 * needed + 100 * 3600, 0)))
          assertEquals(last(query, "liveKeys"), if (ends) 1L else 6L)
          assertEquals(
            windows(query).map(_.customMetrics.get("expiredKeys").longValue).sum,
            if (ends) 5L else 0L
          )
        }
        val left = sections(checkpoint)
        assertEquals(left(StateCells.Header), if (ends) 1L else 6L)
        if (ends) { // with the timer of the other key, its blocks, the index and the partition's cell
          assert(left.getOrElse(StateCells.Timers, 0L) <= 1L, left)
          assert(left.values.sum <= 6 + TimerIndex.Levels * 2, left)
        }
        val isOurs = Seq("DISTINCT", "median", "approx").exists(answer.contains(_)) // which Spark refuses
        val expected = withSettings("spark.slidewise.enabled" -> isOurs) {
          table(rows).withColumn("a", expr(answer)).collect().map(_.toSeq).toSet
        }
        val waits = answer.contains("lead") || answer.contains("FOLLOWING")
        if (ends || !waits) assertEquals(streamed.filter(_.head != End), expected)
      }
    }

  test("a timeout shorter than a frame takes no rows from it") {
    withSettings(Timeout -> "10 minutes", "spark.sql.shuffle.partitions" -> 1) {
      val source = events()
      val streamed = running(
        stream(source).withColumn("a", expr(s"count(*) ${over("RANGE INTERVAL 1 HOUR PRECEDING")}"))
      ) { query =>
        for (i <- 0 to 5) {
          source.addData(("a", 1000 + i * 1100, i))
          query.processAllAvailable()
        }
      }
      assertEquals(
        streamed.map(r => (r(2), r(3))),
        Set[(Any, Any)]((0, 1L), (1, 2L), (2, 3L), (3, 4L), (4, 4L))
      )
    }
  }

  for ((first, second) <- Seq(None -> "10 minutes", Some("100 days") -> "10 minutes"))
    test(s"a timeout of $second at a restart after $first reaches idle keys, some in each batch") {
      val (source, checkpoint) = (events(), temporary())
      val keys = 5000
      def answers = stream(source).withColumn("a", expr(s"sum(n) ${over("ROWS 1 PRECEDING")}"))
      def arrive(query: StreamingQuery, rows: Event*): Unit = {
        source.addData(rows)
        query.processAllAvailable()
      }
      withSettings(Seq("spark.sql.shuffle.partitions" -> "1") ++ first.map(Timeout -> _): _*) {
        running(answers, checkpoint) { query =>
          arrive(query, (1 to keys).map(k => (s"k$k", 1000, k)): _*)
          arrive(query, (End, 10000, 0))
          assertEquals(last(query, "liveKeys"), keys + 1L)
        }
      }
      withSettings(Timeout -> second, "spark.sql.shuffle.partitions" -> 1) {
        running(answers, checkpoint) { query =>
          for (i <- 1 to 8) arrive(query, (End, 10000 + i * 100, 0))
          assertEquals(last(query, "liveKeys"), 1L)
          val expired = windows(query).map(_.customMetrics.get("expiredKeys").longValue)
          assertEquals(expired.sum, keys.toLong)
          assert(expired.max < 1.1 * Timers.SweptKeys, expired)
        }
      }
    }

  test("the metrics say how many rows wait, and since when") {
    withSettings("spark.sql.shuffle.partitions" -> 2) {
      val source = events()
      running(stream(source).withColumn("a", expr(s"lead(n) ${over("")}"))) { query =>
        source.addData(("a", 100, 1), ("b", 200, 1), ("b", 300, 1), ("c", 990, 1))
        query.processAllAvailable()
        source.addData((End, 1010, 1))
        query.processAllAvailable()
        // The last rows of "a", "b", "c" and the end.
        assertEquals(last(query, "waitingRows"), 4L)
        assertEquals(last(query, "liveKeys"), 4L)
        assertEquals(last(query, "oldestWaitingMs"), 900000L)
        assert(last(query, "stateBytes") > 500L)
      }
    }
  }
}
