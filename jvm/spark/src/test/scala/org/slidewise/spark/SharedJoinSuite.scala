package org.slidewise.spark

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.execution.parallel.ParallelJoinExec

/**
 * Window joins whose tasks share the rows of a key, or of a table without keys, have the answers of one task a key. Half of the rows
 * have one key. Times repeat, and some are null.
 */
class SharedJoinSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  override protected def settings: Map[String, String] = Map(
    "spark.sql.shuffle.partitions" -> "6",
    SlidewiseSettings.ParallelMinRows -> "200"
  )

  private def table(name: String, rows: Int, seed: Int, nulls: Int): Unit =
    spark
      .range(0, rows.toLong, 1, 3)
      .selectExpr(
        "id",
        s"CASE WHEN hash(id, $seed) % 2 = 0 THEN 0 ELSE pmod(hash(id, $seed), 9) END AS k",
        s"CASE WHEN id % $nulls = 1 THEN NULL ELSE timestamp_seconds(pmod(xxhash64(id, $seed), 5000)) END AS ts",
        s"pmod(hash(id, $seed, 1), 1000) AS v",
        s"cast(pmod(hash(id, $seed, 2), 1000) AS string) AS s"
      )
      .createOrReplaceTempView(name)

  override def beforeAll(): Unit = {
    super.beforeAll()
    table("l", 1500, 1, nulls = 41)
    table("e", 4000, 2, nulls = 53)
  }

  private val frames = Seq(
    "bounded" -> "e.ts >= l.ts - INTERVAL 10 MINUTES AND e.ts < l.ts",
    "of many widths" -> "e.ts > l.ts - make_interval(0, 0, 0, 0, 0, 0, l.v) AND e.ts <= l.ts + INTERVAL 1 MINUTE",
    "of all earlier rows" -> "e.ts <= l.ts",
    "of all later rows" -> "e.ts > l.ts - INTERVAL 1 SECOND"
  )

  private val calls = Seq(
    "in arrays" -> "SELECT sum(e.v) AS a, count(*) AS b, avg(e.v) AS c, max(e.v) AS d",
    "row by row" -> "SELECT max(e.s) AS a, count(*) AS b, max_by(e.v, e.id) AS c, sum(e.v) FILTER (WHERE e.v > 500) AS d"
  )

  for (
    (keyed, keys) <- Seq("by key" -> "e.k = l.k AND ", "without keys" -> ""); (width, frame) <- frames;
    (how, select) <- calls
  )
    test(s"frames $width $keyed, $how") {
      isShared(s"SELECT l.*, f.* FROM l, LATERAL ($select FROM e WHERE $keys$frame) f")
    }

  for ((keyed, keys) <- Seq("by key" -> "e.k = l.k AND ", "without keys" -> ""))
    test(s"as-of joins $keyed") {
      assume(BuiltFor.MINOR != "3.5", "no LIMIT in correlated subqueries")
      // The time of the row that is found: of several rows with one time, any is right.
      for ((frame, order) <- Seq("e.ts <= l.ts" -> "DESC", "e.ts >= l.ts" -> "ASC"))
        isShared(
          s"SELECT l.*, f.ts AS found FROM l LEFT JOIN LATERAL (SELECT e.ts FROM e WHERE $keys$frame ORDER BY e.ts $order LIMIT 1) f"
        )
    }

  test("several frames, of which one has no limit") {
    isShared(
      "SELECT l.*, f.*, g.* FROM l, LATERAL (SELECT sum(e.v) AS a FROM e WHERE e.k = l.k AND e.ts < l.ts) f, " +
        "LATERAL (SELECT count(*) AS b FROM e WHERE e.k = l.k AND e.ts > l.ts - INTERVAL 1 HOUR AND e.ts < l.ts) g"
    )
  }

  test("keys and times of left rows are null where those of right rows cannot be") {
    val right =
      "SELECT id, coalesce(pmod(hash(id), 5000), 0) - 2500 AS t, CAST(id % 9 AS STRING) AS k, v FROM e"
    for (
      (left, condition) <- Seq(
        "CASE WHEN id % 3 = 0 THEN NULL ELSE pmod(hash(id), 5000) - 2500 END AS t" -> "r.t BETWEEN l.t AND l.t",
        "CASE WHEN id % 3 = 0 THEN NULL ELSE pmod(hash(id), 5000) - 2500 END AS t" -> "r.t > l.t",
        "pmod(hash(id), 5000) - 2500 AS t, CASE WHEN id % 5 = 0 THEN NULL ELSE CAST(id % 9 AS STRING) END AS k" ->
          "r.k = l.k AND r.t < l.t"
      )
    )
      isShared(
        s"SELECT l.*, f.* FROM (SELECT id, $left FROM l) l, " +
          s"LATERAL (SELECT sum(r.v) AS a, count(*) AS b FROM ($right) r WHERE $condition) f"
      )
  }

  test("a subquery below the left rows reads the right rows, too") {
    isSame(
      "SELECT l.id, (SELECT count(*) FROM e WHERE e.ts <= l.ts) AS n FROM l WHERE l.v < (SELECT max(r) FROM " +
        "(SELECT row_number() OVER (ORDER BY ts) AS r FROM e WHERE ts IS NOT NULL))"
    )
  }

  test("a join with GROUP BY") {
    isShared(
      "SELECT l.k, l.ts, sum(e.v) AS a, count(*) AS b FROM l LEFT JOIN e ON e.k = l.k AND " +
        "e.ts BETWEEN l.ts - INTERVAL 10 MINUTES AND l.ts GROUP BY l.k, l.ts"
    )
  }

  test("tasks count the rows that they read of their neighbours") {
    def haloRows(frame: String): Long = {
      val joined = isSame(s"SELECT l.*, f.* FROM l, LATERAL (SELECT sum(e.v) AS a FROM e WHERE $frame) f")
      operators(joined).map(_.metrics("haloRows").value).sum
    }
    assertEquals(haloRows("e.ts BETWEEN l.ts AND l.ts"), 0L)
    val (short, long) = (
      haloRows("e.ts > l.ts - INTERVAL 1 MINUTE AND e.ts <= l.ts"),
      haloRows("e.ts > l.ts - INTERVAL 10 MINUTES AND e.ts <= l.ts")
    )
    assert(short > 0 && short < long, (short, long))
  }

  test("no job finds what left rows reach where they are in the order of their only bound") {
    def jobs(frame: String): Int = {
      val sql = s"SELECT l.*, f.* FROM l, LATERAL (SELECT sum(e.v) AS a FROM e WHERE $frame) f"
      isSame(sql)
      jobsOf(spark.sql(sql).collect())
    }
    assertEquals(
      jobs("e.ts BETWEEN l.ts AND l.ts"),
      jobs("e.ts BETWEEN l.ts AND l.ts + INTERVAL 1 MINUTE") - 1
    )
  }

  test("functions whose partial aggregates grow with the rows are evaluated key by key") {
    val sql =
      "SELECT l.*, f.* FROM l, LATERAL (SELECT count(DISTINCT e.v) AS a FROM e WHERE e.k = l.k AND e.ts < l.ts) f"
    expected {
      val joined = spark.sql(sql)
      assertEquals(sorted(joined), alone(sql))
      assertEquals(operators(joined), Nil)
    }
  }

  for (side <- Seq("l", "e"))
    test(s"adaptive execution detects that half of the rows of $side have one key") {
      val even = s"(SELECT id, id % 9 AS k, ts, v, s FROM ${if (side == "l") "e" else "l"})"
      val (left, right) = if (side == "l") ("l", s"$even e") else (s"$even l", "e")
      withSettings(
        "spark.sql.adaptive.enabled" -> true,
        "spark.sql.shuffle.partitions" -> 12,
        SlidewiseSettings.ParallelSkewThreshold -> "1k",
        SlidewiseSettings.ParallelCores -> "12",
        "spark.sql.adaptive.skewJoin.skewedPartitionFactor" -> "1.5"
      ) {
        val sql = s"SELECT l.*, f.* FROM $left, LATERAL (SELECT sum(e.v) AS a, count(*) AS b FROM $right " +
          "WHERE e.k = l.k AND e.ts > l.ts - INTERVAL 1 HOUR AND e.ts < l.ts) f"
        val joined = spark.sql(sql)
        assertEquals(sorted(joined), alone(sql))
        assertEquals(operators(joined).size, 1, joined.queryExecution.executedPlan)
      }
    }

  test("a bound that fails is an error only if rows are within the other one") {
    def sql(keys: String, least: Int) = "SELECT l.id, f.* FROM l, LATERAL (SELECT count(*) AS a FROM " +
      s"(SELECT k, cast(v AS int) AS t FROM e) e WHERE $keys e.t <= l.v AND e.t >= -l.v - 2147483000 AND e.t > $least) f"
    withSettings("spark.sql.ansi.enabled" -> true) {
      for (keys <- Seq("e.k = l.k AND", "")) {
        intercept[Exception](expected(spark.sql(sql(keys, -1)).collect()))
        val free = s"SELECT * FROM (${sql(keys, -1)}) WHERE id < 0"
        isSame(free)
      }
      isShared(sql("e.k = l.k + 1000 * cast(l.v > 647 AS int) AND", -1))
    }
  }

  for (empty <- Seq("l", "e"))
    test(s"no rows in $empty") {
      val tables = Map("l" -> "l", "e" -> "e", empty -> s"(SELECT * FROM $empty WHERE id < 0) AS $empty")
      isSame(
        s"SELECT l.id, f.* FROM ${tables("l")}, LATERAL (SELECT sum(e.v) AS a, count(*) AS b FROM ${tables("e")} WHERE e.ts < l.ts) f"
      )
    }

  private def expected[T](body: => T): T =
    withSettings(SlidewiseSettings.ParallelSkewedKeys -> "expected")(body)

  private def isShared(sql: String): Unit = {
    val joined = isSame(sql)
    val tasks = operators(joined).map(_.metrics("tasks").value)
    assert(tasks.nonEmpty && tasks.forall(_ > 2), s"$tasks tasks in ${joined.queryExecution.executedPlan}")
  }

  private def isSame(sql: String): DataFrame = expected {
    val joined = spark.sql(sql)
    assertEquals(sorted(joined), alone(sql))
    joined
  }

  private def alone(sql: String): Seq[String] =
    withSettings(SlidewiseSettings.Parallel -> false)(sorted(spark.sql(sql)))

  private def sorted(rows: DataFrame): Seq[String] =
    rows.collect().map((row: Row) => row.toString).toSeq.sorted

  private def operators(rows: DataFrame): Seq[ParallelJoinExec] =
    collect(rows.queryExecution.executedPlan) { case join: ParallelJoinExec => join }
}
