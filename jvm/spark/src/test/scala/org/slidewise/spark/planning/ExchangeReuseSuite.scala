package org.slidewise.spark.planning

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.Row

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.explain.WindowReport

object CountedRows {
  val count = new AtomicLong
}

/** Rows that several operators read are computed as often as without Slidewise, and never read in place of others. */
class ExchangeReuseSuite extends SparkSuite {
  private val Off = Seq[(String, Any)](SlidewiseSettings.Enabled -> false)
  private val Settings = Seq[(String, Any)](
    SlidewiseSettings.ParallelMinRows -> 200,
    "spark.sql.autoBroadcastJoinThreshold" -> -1
  )

  private lazy val session = {
    val own = spark
    own.udf.register("counted", (value: Long) => { CountedRows.count.incrementAndGet(); value })
    val id = own.sparkContext.parallelize(0L until 1000L, 1)
    own.createDataset(id)(org.apache.spark.sql.Encoders.scalaLong).toDF("id").createOrReplaceTempView("one")
    own
  }

  private def table(from: String) = s"SELECT id, id % 7 AS k, counted(id * 31 % 101) AS v FROM $from"
  private val Many = table("range(0, 1000, 1, 4)")
  private val One = table("one")

  private def over(window: String, from: String, function: String = "sum(v)") =
    s"(SELECT id, k, v, $function OVER ($window) AS x FROM ($from))"

  private def joined(a: String, b: String) = s"SELECT a.id, a.x, b.x AS y FROM $a a JOIN $b b ON a.id = b.id"

  /** The rows of a query, and how many rows of the table it has read. */
  private def run(sql: String, settings: Seq[(String, Any)]): (Seq[Row], Long, Int) =
    withSettings(settings: _*) {
      CountedRows.count.set(0)
      val data = session.sql(sql)
      val rows = data.collect().toSeq.sortBy(_.toString)
      (
        rows,
        CountedRows.count.get,
        WindowReport.of(data.queryExecution.executedPlan).count(_.algorithm.isDefined)
      )
    }

  private def assertReadOnce(name: String, sql: String, settings: Seq[(String, Any)], windows: Int): Unit = {
    val (rows, read, ours) = run(sql, settings)
    val (expected, readOff, _) = run(sql, settings ++ Off)
    assertEquals(rows, expected, name)
    assert(read <= readOff, s"$name: read $read rows of the table, $readOff without Slidewise, $settings")
    assertEquals(ours, windows, name)
  }

  private val Keys = "PARTITION BY k ORDER BY id ROWS 3 PRECEDING"
  private def other(query: String) = s"SELECT *, ($query) AS z FROM "

  for {
    adaptive <- Seq(true, false)
    (from, rows) <- Seq("several partitions" -> Many, "one partition" -> One)
  } test(s"rows of $from are computed once where Spark does, adaptive $adaptive") {
    val settings = Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)
    val (up, down) = ("ORDER BY v, id", "ORDER BY v DESC, id DESC")
    for (
      (name, sql, windows) <- Seq(
        ("opposite orders", joined(over(up, rows), over(down, rows)), 2),
        ("other functions", joined(over(up, rows), over(up, rows, "max(k)")), 2),
        ("a whole table", joined(over(up, rows), over("", rows)), 2),
        ("the same window", joined(over(up, rows), over(up, rows)), 1),
        ("union", s"SELECT * FROM ${over(up, rows)} UNION ALL SELECT * FROM ${over(down, rows)}", 2),
        ("a window of one task", joined(over(up, rows), over(up, rows, "collect_list(v)")), 2),
        ("keys", joined(over(Keys, rows), over(Keys.replace("id", "v DESC, id"), rows)), 2),
        (
          "an exchange that a join reads",
          s"SELECT a.id, a.x, b.v FROM ${over(Keys, rows)} a JOIN ($rows) b ON a.k = b.k AND a.id = b.id",
          1
        ),
        (
          "a table expression",
          s"WITH w AS ${over(up, rows)} SELECT a.id, b.x FROM w a JOIN w b ON a.id = b.id",
          1
        )
      )
    ) assertReadOnce(name, sql, settings, windows)
  }

  for (adaptive <- Seq(true, false))
    test(
      s"a scalar subquery and the query around it compute rows once where Spark does, adaptive $adaptive"
    ) {
      val settings = Settings :+ ("spark.sql.adaptive.enabled" -> adaptive)
      for (
        (name, sql, windows) <- Seq(
          (
            "without keys",
            other(s"SELECT max(x) FROM ${over("ORDER BY v DESC, id, k", Many)}") + over(
              "ORDER BY v, id",
              Many
            ),
            2
          ),
          (
            "a join in the subquery",
            other(s"SELECT max(a.v + b.v) FROM ($Many) a JOIN ($Many) b ON a.k = b.k AND a.id = b.id") + over(
              Keys,
              Many
            ),
            1
          ),
          (
            "a window in the subquery",
            other(s"SELECT max(x) FROM ${over(Keys, Many)}") +
              s"($Many) a JOIN ($Many) b USING (k, id, v)",
            1
          )
        )
      ) assertReadOnce(name, sql, settings, windows)
    }

  private val Attributes = Seq(
    "sum(v) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "sum(v) OVER (# ORDER BY id ROWS 4 PRECEDING)",
    "sum(v) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "sum(v) OVER (# ORDER BY id ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)",
    "sum(v) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "sum(v) OVER (# ORDER BY id RANGE 2 PRECEDING)",
    "sum(v) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "max(v) OVER (# ORDER BY id ROWS 3 PRECEDING)",
    "sum(v) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "sum(v) OVER (# ORDER BY id DESC ROWS 3 PRECEDING)",
    "sum(v) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "sum(v) OVER (# ORDER BY v, id ROWS 3 PRECEDING)",
    "sum(v) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "sum(k) OVER (# ORDER BY id ROWS 3 PRECEDING)",
    "first(n) OVER (# ORDER BY n NULLS FIRST, id)" -> "first(n) OVER (# ORDER BY n NULLS LAST, id)",
    "count(n) OVER (# ORDER BY id ROWS 9 PRECEDING)" -> "count(DISTINCT n) OVER (# ORDER BY id ROWS 9 PRECEDING)",
    "first(n) OVER (# ORDER BY id ROWS 3 PRECEDING)" -> "first(n) IGNORE NULLS OVER (# ORDER BY id ROWS 3 PRECEDING)",
    "nth_value(n, 2) OVER (# ORDER BY id)" -> "nth_value(n, 3) OVER (# ORDER BY id)",
    "lag(v, 1) OVER (# ORDER BY id)" -> "lag(v, 2) OVER (# ORDER BY id)",
    "lag(v, 2) OVER (# ORDER BY id)" -> "lag(v, 2, -1L) OVER (# ORDER BY id)",
    "lag(v, 2) OVER (# ORDER BY id)" -> "lead(v, 2) OVER (# ORDER BY id)",
    "ntile(3) OVER (# ORDER BY id)" -> "ntile(4) OVER (# ORDER BY id)",
    "rank() OVER (# ORDER BY v)" -> "dense_rank() OVER (# ORDER BY v)",
    "percentile(v, 0.2) OVER (# ORDER BY id ROWS 9 PRECEDING)" -> "percentile(v, 0.7) OVER (# ORDER BY id ROWS 9 PRECEDING)",
    "min_by(id, v) OVER (# ORDER BY id ROWS 9 PRECEDING)" -> "max_by(id, v) OVER (# ORDER BY id ROWS 9 PRECEDING)"
  )

  for ((keys, name) <- Seq("PARTITION BY k" -> "keys", "" -> "no keys"))
    test(s"windows that differ in one attribute keep their own results, $name") {
      val from = s"SELECT id, k, v, IF(v % 3 = 0, NULL, v % 11) AS n FROM ($Many)"
      def one(call: String) = s"(SELECT id, ${call.replace("#", keys)} AS x FROM ($from))"
      for (((a, b), i) <- Attributes.zipWithIndex) {
        val settings = Settings :+ ("spark.sql.adaptive.enabled" -> (i % 2 == 0))
        val sql = joined(one(a), one(b))
        val off =
          if (a.contains("DISTINCT") || b.contains("DISTINCT")) None else Some(run(sql, settings ++ Off)._1)
        val (rows, _, ours) = run(sql, settings)
        off.foreach(assertEquals(rows, _, sql))
        assertEquals(ours, 2, sql)
        assert(rows.exists(row => row.get(1) != row.get(2)), sql)
      }
    }

  test("windows over keys that differ keep their own rows, with and without expected skew") {
    for (skew <- Seq("detected", "expected")) {
      val settings = Settings :+ (SlidewiseSettings.ParallelSkewedKeys -> skew)
      val sql = joined(
        over("PARTITION BY k ORDER BY id ROWS 3 PRECEDING", Many),
        over("PARTITION BY v % 5 ORDER BY id ROWS 3 PRECEDING", Many)
      )
      assertEquals(run(sql, settings)._1, run(sql, settings ++ Off)._1)
    }
  }
}
