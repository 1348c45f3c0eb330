package org.slidewise.spark.execution.streams

import java.sql.Timestamp

import scala.util.Random

import org.apache.spark.sql.DataFrame

import org.slidewise.LongRun
import org.slidewise.spark.shims.MemoryStreams.MemoryStream

/** Two streams with a watermark each, of which the policy takes the lower or the higher one. */
class WatermarkPolicySuite extends StreamSuite {
  private val Policy = "spark.sql.streaming.multipleWatermarkPolicy"
  private val Policies = Seq("min", "max").drop(LongRun.orLess(0, 1))
  private val Over = "OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 20 SECONDS PRECEDING)"

  private def rowsOf(source: MemoryStream[Event], delay: String): DataFrame = source
    .toDF()
    .selectExpr("_1 AS k", "timestamp_seconds(_2) AS ts", "_3 AS n")
    .withWatermark("ts", delay)

  /** Two streams of rows of two keys, the second of which is behind by half a minute. */
  private val arriving: Seq[(Seq[Event], Seq[Event])] = {
    val random = new Random(11)
    def rows(batch: Int, late: Int) = Seq.tabulate(6) { i =>
      (
        if (random.nextBoolean()) "a" else "b",
        100 + 20 * batch - late + random.nextInt(20),
        batch * 100 + late + i
      )
    }
    Seq.tabulate(4)(batch => (rows(batch, 0), rows(batch, 30))) :+
      (Seq(("end", 1000, 0)) -> Seq(("end", 1000, 1)))
  }

  /** The rows of a query over both streams, and how many came too late. */
  private def run(sql: String): (Set[Seq[Any]], Long) = {
    val (first, second) = (events(), events())
    rowsOf(first, "10 seconds").union(rowsOf(second, "5 seconds")).createOrReplaceTempView("events")
    var dropped = 0L
    val rows = running(spark.sql(sql)) { query =>
      for ((a, b) <- arriving) {
        first.addData(a)
        second.addData(b)
        query.processAllAvailable()
      }
      dropped = query.recentProgress.flatMap(_.stateOperators).map(_.numRowsDroppedByWatermark).sum
    }
    (rows, dropped)
  }

  test("windows drop the rows that Spark's aggregation drops, and see the others") {
    val dropped = for (policy <- Policies) yield withSettings(Policy -> policy) {
      val (kept, late) = run("SELECT k, ts, n FROM events GROUP BY k, ts, n")
      val (rows, lateHere) = run(s"SELECT k, ts, n, count(*) $Over AS c, sum(n) $Over AS s FROM events")
      assertEquals(lateHere, late, policy)
      val session = spark
      import session.implicits._
      kept.toSeq
        .map(row => (row(0).asInstanceOf[String], row(1).asInstanceOf[Timestamp], row(2).asInstanceOf[Int]))
        .toDF("k", "ts", "n")
        .createOrReplaceTempView("events")
      val expected = spark.sql(s"SELECT k, ts, n, count(*) $Over AS c, sum(n) $Over AS s FROM events")
      assertEquals(rows, expected.collect().map(_.toSeq).toSet, policy)
      assert(rows.size > 20, rows)
      late
    }
    assert(dropped.last > 0 && dropped.size == dropped.distinct.size, dropped)
  }

  test("hopping windows drop the rows that Spark's aggregation drops") {
    val sql =
      "SELECT k, window, count(*), sum(n) FROM events GROUP BY k, window(ts, '20 seconds', '10 seconds')"
    for (policy <- Policies) withSettings(Policy -> policy) {
      val (rows, _) = run(sql)
      val (expected, _) = withSettings("spark.slidewise.enabled" -> false)(run(sql))
      assertEquals(rows, expected, policy)
      assert(rows.size > 10, rows)
    }
  }
}
