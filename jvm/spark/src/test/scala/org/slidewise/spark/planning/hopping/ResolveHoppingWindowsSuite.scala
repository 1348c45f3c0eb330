package org.slidewise.spark.planning.hopping

import scala.util.Try

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Expand, LogicalPlan}
import org.apache.spark.sql.execution.GenerateExec
import org.apache.spark.sql.functions.{count, window}

import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.plan.TooManyWindows

/** Which hopping windows have no projections of Spark, and that the others have exactly Spark's plan. */
class ResolveHoppingWindowsSuite extends HoppingEvents {

  private def expands(plan: LogicalPlan): Int = plan.collect { case expand: Expand => expand }.size

  for (
    sql <- Seq(
      s"SELECT $hour, k, count(*), sum(x) FROM events GROUP BY 1, 2",
      s"SELECT $hour.start, k, count(*) FROM events GROUP BY $hour, k HAVING k < 2 AND count(*) > 2",
      s"SELECT w, k + 1, max(x) FROM (SELECT *, $hour AS w FROM events WHERE x > 1) WHERE w.end > timestamp'1970-01-01' GROUP BY w, k + 1",
      s"WITH v AS (SELECT $hour AS w, x FROM events) SELECT w, sum(x) FROM v GROUP BY w UNION ALL SELECT w, min(x) FROM v GROUP BY w",
      s"SELECT window_time(w), n FROM (SELECT $hour AS w, count(*) AS n FROM events GROUP BY 1)",
      s"""SELECT window(w, '3 hours', '1 hour'), sum(n) FROM (SELECT $hour AS w, count(*) AS n FROM events GROUP BY 1) GROUP BY 1""",
      "SELECT window(cast(t AS string), '1 hour', '10 minutes'), count(*) FROM events GROUP BY 1",
      "SELECT window(date(t), '2 days', '1 day', '1 hour'), count(*), median(x) FROM events GROUP BY 1",
      "SELECT window(cast(t AS timestamp_ntz), '1 hour', '10 minutes'), k, try_avg(x) FROM events GROUP BY ALL",
      s"SELECT id, (SELECT max(n) FROM (SELECT count(*) AS n FROM events GROUP BY $hour)) FROM events WHERE id < 3",
      s"""SELECT a.w, a.n, b.n FROM (SELECT $hour AS w, count(*) AS n FROM events GROUP BY 1) a
          JOIN (SELECT $hour AS w, count(x) AS n FROM events GROUP BY 1) b ON a.w = b.w"""
    )
  )
    test(s"no projections: $sql") {
      val data = same(spark.sql(sql))
      assert(operators(data) > 0)
      assertEquals(expands(data.queryExecution.optimizedPlan), 0)
      assertEquals(expands(data.queryExecution.analyzed), 0)
    }

  test("no projections in DataFrames, since 4.0; the same rows everywhere") {
    def query = spark.table("events").groupBy(window($("t"), "1 hour", "7 minutes"), $("k")).agg(count("x"))
    val data = same(query)
    assertEquals(operators(data), 1)
    assertEquals(expands(data.queryExecution.analyzed), if (BuiltFor.MINOR == "3.5") 1 else 0)
  }

  private def $(name: String) = org.apache.spark.sql.functions.col(name)

  test("views store their SQL; temporary views and caches hold resolved windows") {
    val data = spark.sql(s"SELECT k, $hour AS w, count(*) AS n FROM events GROUP BY 1, 2")
    data.createOrReplaceTempView("windowed")
    val expected = off(rows(spark.sql("SELECT w, sum(n) FROM windowed GROUP BY w")))
    assertEquals(rows(spark.sql("SELECT w, sum(n) FROM windowed GROUP BY w")), expected)
    data.cache()
    try assertEquals(rows(spark.sql("SELECT w, sum(n) FROM windowed GROUP BY w")), expected)
    finally data.unpersist()
  }

  /** The plan without ids; projections may have their columns in another order. */
  private def textOf(plan: LogicalPlan): String = plan.treeString
    .split('\n')
    .map {
      case line if line.contains("Project [") => line.split("[\\[\\], ]+").sorted.mkString(" ")
      case line                               => line
    }
    .mkString("\n")
    .replaceAll("#\\d+L?", "")

  for (
    sql <- Seq(
      s"SELECT k, $hour FROM events",
      s"SELECT k FROM (SELECT k, $hour FROM events)",
      s"SELECT id FROM events WHERE $hour.start > timestamp'1970-01-01'",
      s"SELECT $hour, count(DISTINCT x) FROM events GROUP BY 1",
      s"SELECT $hour, count(DISTINCT x), count(DISTINCT k) FROM events GROUP BY 1",
      s"SELECT $hour, k, count(*) FROM events GROUP BY CUBE (1, 2)",
      s"SELECT w, max(w.start) FROM (SELECT $hour AS w FROM events) GROUP BY w",
      s"SELECT k, count(w.start) FROM (SELECT k, $hour AS w FROM events) GROUP BY k",
      "SELECT k, count(*) FROM (SELECT k, window(t, '1 hour', '10 minutes') AS w FROM events) GROUP BY k",
      "SELECT DISTINCT window(timestamp'2020-01-01', '1 hour', '10 minutes'), k FROM events",
      "SELECT window(t, '1 hour'), k, count(*) FROM events GROUP BY 1, 2",
      s"SELECT w, count(*) FROM (SELECT $hour AS w, t FROM events) WHERE t > w.start + interval 1 minute GROUP BY w",
      s"SELECT id, (SELECT count(*) FROM (SELECT $hour AS w FROM events) WHERE w.start < timestamp_seconds(e.id)) FROM events e WHERE id < 3"
    )
  )
    test(s"Spark's plan: $sql") {
      val on = spark.sql(sql)
      // The last query is also a join.
      val optimized =
        withSettings(SlidewiseSettings.WindowJoins -> false)(spark.sql(sql).queryExecution.optimizedPlan)
      val expected = off(spark.sql(sql).queryExecution.optimizedPlan)
      assertEquals(textOf(optimized), textOf(expected))
      same(spark.sql(sql))
      assertEquals(operators(on), 0)
    }

  test("a plan resolved with Slidewise on runs with it off, and the other way round") {
    for (sql <- Seq(s"SELECT $hour, k, count(*) FROM events GROUP BY 1, 2", s"SELECT $hour FROM events")) {
      val (on, expanded) = (spark.sql(sql), off(spark.sql(sql)))
      assertEquals(expands(expanded.queryExecution.analyzed), 1)
      assertEquals(off(operators(on)), 0)
      assertEquals(operators(expanded), if (sql.contains("count")) 1 else 0)
      assertEquals(rows(on), rows(expanded))
    }
  }

  test("windows that no rule has replaced are generated") {
    withSettings("spark.sql.optimizer.excludedRules" -> classOf[ExpandHoppingWindows].getName) {
      for (arguments <- Seq("'1 hour', '7 minutes', '-90 seconds'", "'1 hour', '10 minutes'")) {
        val data = same(spark.sql(s"SELECT window(t, $arguments), id FROM events"))
        assert(find(data.queryExecution.executedPlan)(_.isInstanceOf[GenerateExec]).isDefined)
      }
    }
  }

  test("windows at the ends of time that no rule has replaced wrap around, or fail in ANSI mode") {
    spark
      .sql("""SELECT timestamp_micros(t) AS t FROM VALUES (9223372036854775807L), (9223372036854775803L),
              (-9223372036854775808L), (-9223372036854775804L), (0L) AS x(t)""")
      .coalesce(1) // of several tasks that fail, any may be the first
      .createOrReplaceTempView("ends")
    for {
      arguments <- Seq(
        "'7 microseconds', '3 microseconds', '1 microsecond'",
        "'8 microseconds', '2 microseconds', '-1 microsecond'"
      )
      ansi <- Seq("false", "true")
      time <- Seq("t", "cast(t AS timestamp_ntz)")
    } withSettings(
      "spark.sql.optimizer.excludedRules" -> classOf[ExpandHoppingWindows].getName,
      "spark.sql.ansi.enabled" -> ansi
    ) {
      val sql =
        s"SELECT cast(cast(w.start AS timestamp) AS bigint) % 7, hash(w), hash(t) FROM (SELECT window($time, $arguments) AS w, t FROM ends)"
      // Spark 3.5 puts the numbers of the stage and the task before the error.
      def message(error: Throwable) =
        error.getMessage.takeWhile(_ != '\n').replaceFirst("^Job aborted.* (\\S+: \\[)", "$1")
      def result = Try(rows(spark.sql(sql))).toEither.left.map(message)
      assert(find(spark.sql(sql).queryExecution.executedPlan)(_.isInstanceOf[GenerateExec]).isDefined)
      val expected = off(result)
      assertEquals(result, expected, s"$arguments $ansi $time")
      assertEquals(expected.isLeft, ansi == "true", expected)
    }
  }

  test("a day of windows each second") {
    val data = spark.sql(
      "SELECT count(*), max(n), sum(n) FROM (SELECT k, count(t) AS n FROM events GROUP BY window(t, '1 day', '1 second'), k)"
    )
    val events = spark.sql("SELECT count(t) FROM events").head().getLong(0)
    assertEquals(operators(data), 1)
    assertEquals(data.head().getLong(2), events * 86400)
  }

  for (
    (sql, reason) <- Seq(
      "SELECT window(t, '1 day', '1 microsecond'), count(*) FROM events GROUP BY 1" -> SlidewiseSettings.MaxWindows,
      "SELECT window(t, '1 day', '1 microsecond'), count(DISTINCT x) FROM events GROUP BY 1" -> "DISTINCT aggregates of panes",
      "SELECT window(t, '1 day', '1 microsecond') FROM events" -> "no GROUP BY"
    )
  )
    test(s"refused before any task: $sql") {
      val error = intercept[Exception](spark.sql(sql).collect())
      assert(error.getMessage.contains(TooManyWindows.Condition), error)
      assert(error.getMessage.contains("86400000000 windows") && error.getMessage.contains(reason), error)
    }

  test(s"${SlidewiseSettings.MaxWindows} is the most") {
    val sql = s"SELECT $hour, count(*) FROM events GROUP BY 1"
    withSettings(SlidewiseSettings.MaxWindows -> "9")(same(spark.sql(sql)))
    withSettings(SlidewiseSettings.MaxWindows -> "8")(intercept[Exception](spark.sql(sql).collect()))
  }

  test("errors are Spark's") {
    for (
      call <- Seq(
        "window(nosuch, '1 hour', '1 minute')",
        "window(k, '1 hour', '1 minute')",
        "window(x > 1, '1 hour', '1 minute')",
        "window(t, '1 hour', '2 hours')",
        "window(t, '1 hour', '1 minute', '2 minutes')",
        "window(t, '1 month', '1 minute')",
        s"$hour, window(t, '2 hours', '1 hour')",
        "window(window(t, '1 hour', '1 minute'), '2 hours', '1 hour')"
      )
    ) {
      def result = Try(rows(spark.sql(s"SELECT $call, count(*) FROM events GROUP BY 1"))).toEither.left
        .map(_.getMessage.replaceAll("#\\d+L?", ""))
      assertEquals(result, off(result), call)
    }
  }

  test("the estimated size is Spark's") {
    val sql = s"SELECT $hour, k, count(*) FROM events GROUP BY 1, 2"
    def size(data: DataFrame) =
      data.queryExecution.optimizedPlan.collectFirst { case a: Aggregate => a }.get.stats.sizeInBytes
    assertEquals(size(spark.sql(sql)), off(size(spark.sql(sql))))
  }

  test("the function keeps its description") {
    def described = rows(spark.sql("DESCRIBE FUNCTION EXTENDED window"))
    assertEquals(described, off(described))
    assert(described.exists(_.contains("TimeWindow")), described)
  }
}
