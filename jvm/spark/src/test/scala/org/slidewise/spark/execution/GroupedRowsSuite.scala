package org.slidewise.spark.execution

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.{SortExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec

import org.slidewise.spark.{Slidewise, SparkSuite}
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.SortPlacement

/** Windows without an order: rows are grouped by hash. */
class GroupedRowsSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private val rows = """(SELECT id, pmod(hash(id), 11) AS k, id % 3 AS j, repeat('k', CAST(id % 5 AS INT)) AS s,
    CASE WHEN id % 7 > 0 THEN id - 500 END AS x,
    CASE WHEN id % 11 = 0 THEN double('NaN') WHEN id % 13 = 0 THEN -0.0D WHEN id % 5 > 0 THEN id / 8.0D END AS y,
    CASE WHEN pmod(hash(id), 11) > 3 THEN CAST(id AS INT) END AS z FROM range(0, 2000, 1, 3))"""

  private def windows(data: DataFrame): Seq[SlidingWindowExec] =
    collect(data.queryExecution.executedPlan) { case window: SlidingWindowExec => window }

  private def sorts(data: DataFrame): Seq[SparkPlan] =
    collect(data.queryExecution.executedPlan) { case sort: SortExec => sort }

  private def isGrouped(data: DataFrame): Boolean =
    windows(data).exists(_.simpleString(1000).contains("groups by hash"))

  private def answer(sql: String): Seq[String] = spark.sql(sql).collect().map(_.toString).sorted.toSeq

  private def off(sql: String): Seq[String] = withSettings(SlidewiseSettings.Enabled -> false)(answer(sql))

  private val calls = Seq(
    "count(*)",
    "count(x)",
    "sum(x)",
    "sum(z)",
    "avg(x)",
    "sum(y)",
    "min(x), max(x), min(z), max(z)",
    "min(y), max(y)",
    "round(stddev_samp(x), 6), round(var_pop(z), 6), stddev_pop(y)",
    "max(timestamp_seconds(x)), min(date_add(DATE'2020-01-01', z)), max(x > 3), min(CAST(z % 50 AS tinyint))",
    "try_sum(x), avg(CAST(y AS float)), max(CAST(x AS decimal(9, 2)))"
  )
  private val keys = Seq("k", "j, k", "s", "s, k", "y", "nullif(k, 3), nullif(j, 1)", "-id")

  for (call <- calls; by <- keys)
    test(s"$call by $by") {
      val each = call.split(", (?![^(]*\\))").map(c => s"$c OVER (PARTITION BY $by)").mkString(", ")
      val over = each.replaceAll(
        "round\\((\\w+\\(\\w+\\)), 6\\) OVER \\(([^()]*(?:\\([^()]*\\)[^()]*)*)\\)",
        "round($1 OVER ($2), 6)"
      )
      val sql = s"SELECT id, $over FROM $rows"
      val data = spark.sql(sql)
      assert(isGrouped(data), data.queryExecution.executedPlan.toString)
      assertEquals(answer(sql), off(sql))
    }

  test("a window of one partition for each key, over several shuffles") {
    val sql =
      s"SELECT id, sum(x) OVER (PARTITION BY k), count(y) OVER (PARTITION BY j), max(y) OVER (PARTITION BY -id) FROM $rows"
    assertEquals(windows(spark.sql(sql)).count(_.plan.sortPlacement == SortPlacement.Unneeded), 3)
    assertEquals(answer(sql), off(sql))
  }

  test("rows stay in the order in which they came") {
    val sql =
      "SELECT id, sum(id) OVER (PARTITION BY pmod(hash(id), 5)) AS s FROM (SELECT * FROM range(0, 1000, 1, 1))"
    withSettings("spark.sql.shuffle.partitions" -> 1) {
      assertEquals(spark.sql(sql).collect().map(_.getLong(0)).toSeq, 0L until 1000L: Seq[Long])
    }
  }

  for (adaptive <- Seq(true, false))
    test(s"an operator that needs the order of the keys has the window sort, adaptive execution $adaptive") {
      withSettings("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.autoBroadcastJoinThreshold" -> -1) {
        val sql = s"WITH w AS (SELECT id, k, sum(x) OVER (PARTITION BY k) AS a FROM $rows), " +
          s"g AS (SELECT k, count(*) AS n FROM $rows GROUP BY k) SELECT id, a, n FROM w JOIN g USING (k)"
        val data = spark.sql(sql)
        data.collect()
        assertEquals(windows(data).map(_.plan.sortPlacement), Seq(SortPlacement.InOperator))
        val alone = spark.sql(sql)
        withSettings(SlidewiseSettings.Enabled -> false)(alone.collect())
        // Spark sorts below its window.
        assertEquals(
          sorts(data).size,
          sorts(alone).size - 1,
          s"${data.queryExecution.executedPlan}${alone.queryExecution.executedPlan}"
        )
        assertEquals(answer(sql), off(sql))
      }
    }

  test("the order of the keys is kept through a broadcast join, too") {
    val sql = s"WITH w AS (SELECT id, k, sum(x) OVER (PARTITION BY k) AS a FROM $rows), " +
      s"g AS (SELECT k, count(*) AS n FROM $rows GROUP BY k) " +
      "SELECT /*+ MERGE(g) */ w.id, a, n, c FROM w JOIN (SELECT /*+ BROADCAST(d) */ id, id AS c FROM range(5000) d) b " +
      "ON w.id = b.id JOIN g ON w.k = g.k"
    val data = spark.sql(sql)
    data.collect()
    val plan = data.queryExecution.executedPlan
    assert(collect(plan) { case join: BroadcastHashJoinExec => join }.nonEmpty, plan.toString)
    assertEquals(windows(data).map(_.plan.sortPlacement), Seq(SortPlacement.InOperator), plan)
    assertEquals(answer(sql), off(sql))
  }

  test("a sum that overflows is left to the evaluation in order: Spark's error, or null") {
    val large = "(SELECT id, id % 2 AS k, IF(id % 2 = 0, 9223372036854775807L, id) AS x FROM range(10))"
    val checked = s"SELECT id, sum(x) OVER (PARTITION BY k) FROM $large"
    assert(isGrouped(spark.sql(checked)))
    assertFails(checked, "ARITHMETIC_OVERFLOW")
    val tried = s"SELECT id, try_sum(x) OVER (PARTITION BY k) FROM $large"
    assertEquals(answer(tried), off(tried))
    withSettings("spark.sql.ansi.enabled" -> false)(assertEquals(answer(checked), off(checked)))
  }

  test("an input that fails is left to the evaluation in order: Spark's error, or null") {
    val failing = s"SELECT id, sum(1000 / (id - 1500)) OVER (PARTITION BY k) FROM $rows"
    assert(isGrouped(spark.sql(failing)))
    assertFails(failing, "DIVIDE_BY_ZERO")
    withSettings("spark.sql.ansi.enabled" -> false)(assertEquals(answer(failing), off(failing)))
  }

  private def assertFails(sql: String, condition: String): Unit = {
    val causes =
      Iterator.iterate[Throwable](intercept[Exception](answer(sql)))(_.getCause).takeWhile(_ != null).toSeq
    assert(causes.exists(_.getMessage.contains(condition)), causes.mkString("\n"))
  }

  test("other functions, an order, and frames keep the rows sorted") {
    for (
      sql <- Seq(
        "sum(x) OVER (PARTITION BY k ORDER BY id)",
        "first_value(x) OVER (PARTITION BY k)",
        "sum(x) OVER (PARTITION BY k ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)",
        "collect_list(x) OVER (PARTITION BY k)"
      )
    )
      assert(!isGrouped(spark.sql(s"SELECT id, $sql FROM $rows")), sql)
    val mixed =
      s"SELECT id, sum(x) OVER (PARTITION BY k), sort_array(collect_list(x) OVER (PARTITION BY k)) FROM $rows"
    assert(!isGrouped(spark.sql(mixed)))
    assertEquals(answer(mixed), off(mixed))
  }

  test("rows that come in order are not grouped anew") {
    val sql =
      s"SELECT k, id, sum(x) OVER (PARTITION BY k) FROM (SELECT * FROM $rows DISTRIBUTE BY k SORT BY k)"
    assert(!isGrouped(spark.sql(sql)))
    assertEquals(answer(sql), off(sql))
  }

  test("a session that has been switched on while it runs sorts the rows") {
    val session = org.apache.spark.sql.SparkSession.active
    assert(Slidewise.isInstalled(session))
    assert(org.slidewise.spark.planning.PartitionOrder.isOn)
  }

  test("metrics count rows, one step for each row and function, and the largest partition") {
    val data =
      spark.sql(s"SELECT id, sum(x) OVER (PARTITION BY id % 4), max(x) OVER (PARTITION BY id % 4) FROM $rows")
    data.collect()
    val metrics = windows(data).head.metrics
    assertEquals(metrics("numOutputRows").value, 2000L)
    assertEquals(metrics("combines").value, 4000L)
    assertEquals(metrics("fallbacks").value, 0L)
  }

  test("an empty table") {
    assertEquals(answer(s"SELECT sum(id) OVER (PARTITION BY id % 2) FROM range(0)"), Nil)
  }
}
