package org.slidewise.spark.execution

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.window.WindowExec

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.task.WindowMetrics
import org.slidewise.spark.shims.SparkErrors

/** The choice of an evaluation strategy, and the fallback from arrays to rows. */
class WindowEvaluationSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private def window(data: DataFrame): SlidingWindowExec =
    collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w } match {
      case Seq(one) => one
      case others   => fail(s"${others.size} windows")
    }

  private def sum(of: String, window: String, from: String = "range(0, 20000, 1, 1)"): DataFrame =
    spark.sql(s"SELECT id, sum($of) OVER ($window) AS s FROM $from")

  test("one strategy for each way in which rows come and are evaluated") {
    val exec = window(sum("id", "PARTITION BY id % 3 ORDER BY id ROWS 2 PRECEDING"))
    val rowWise = exec.plan.copy(arrays = None, rowWise = exec.plan.arrays.get.fallback)
    def strategy(inArrays: Boolean, sorts: Boolean) =
      WindowEvaluation
        .of(if (inArrays) exec.plan else rowWise, exec.child.output, sorts)
        .getClass
        .getSimpleName
    assertEquals(strategy(inArrays = true, sorts = true), "SortedArrayEvaluation")
    assertEquals(strategy(inArrays = true, sorts = false), "ArrayEvaluation")
    assertEquals(strategy(inArrays = false, sorts = true), "SortedRowWiseEvaluation")
    assertEquals(strategy(inArrays = false, sorts = false), "RowWiseEvaluation")
  }

  test("one operator for all functions of a window, over one sort, which counts each row once") {
    val data = spark.sql(
      "SELECT id, row_number() OVER w, lag(id) OVER w, max_by(id, -id) OVER w, sum(id) OVER (PARTITION BY id % 3 ORDER BY id ROWS 2 PRECEDING), " +
        "collect_list(id) OVER (PARTITION BY id % 3 ORDER BY id ROWS 1 PRECEDING), avg(id) OVER (PARTITION BY id % 3) " +
        "FROM range(0, 2000, 1, 1) WINDOW w AS (PARTITION BY id % 3 ORDER BY id)"
    )
    data.collect()
    val windows = collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w }
    assertEquals(windows.map(_.windowExpression.size).sorted, Seq(1, 5)) // another order is another window
    assertEquals(windows.map(_.metrics(WindowMetrics.Rows).value), Seq(2000L, 2000L))
    assertEquals(collectWithSubqueries(data.queryExecution.executedPlan) { case w: WindowExec => w }, Nil)
  }

  test("a running sum row by row that overflows after many rows fails with Spark's error") {
    val large = "(SELECT id, IF(id < 99999, id, 9223372036854775807L) AS x FROM range(0, 100000, 1, 1))"
    val sums = spark.sql(
      s"SELECT sum(x) OVER (ORDER BY id), collect_list(x) OVER (ORDER BY id ROWS 1 PRECEDING) FROM $large"
    )
    spark.conf.set(SlidewiseSettings.Sort, "false")
    try {
      assertEquals(window(sums).plan.arrays, None)
      val error = intercept[Exception](sums.collect())
      val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null)
      assert(causes.exists(_.getMessage.contains("ARITHMETIC_OVERFLOW")), error)
    } finally spark.conf.unset(SlidewiseSettings.Sort)
  }

  test("a local sort above a window that reorders rows is not moved below it") {
    val rows =
      "(SELECT id % 3 AS a, hash(id) % 50 AS x, hash(id, 1) AS y, hash(id, 2) AS z, id FROM range(0, 2000, 1, 3))"
    val left = s"SELECT *, lag(id, 5000) IGNORE NULLS OVER (PARTITION BY a ORDER BY x) AS l FROM $rows"
    val data = spark
      .sql(s"SELECT *, sum(id) OVER (PARTITION BY a ORDER BY z ROWS 3 PRECEDING) AS s FROM ($left)")
      .sortWithinPartitions("a", "x", "y")
    assert(window(data).simpleString(1000).contains("sorts"))
    val found = data.rdd.glom().collect()
    assertEquals(found.map(_.length).sum, 2000)
    found.foreach { part =>
      val order = part.map(row => (row.getLong(0), row.getInt(1), row.getInt(2))).toSeq
      assertEquals(order, order.sorted)
    }
  }

  test("rows that come in order are left to Spark if it needs constant time for each") {
    def one(frame: String, order: String = "id") =
      window(spark.sql(s"SELECT sum(id) OVER (ORDER BY $order $frame) FROM range(0, 50, 1, 1)"))
    assert(one("").evaluatesAsSpark)
    assert(
      one("").simpleString(1000).contains("as Spark: the rows come in order"),
      one("").simpleString(1000)
    )
    assert(!one("ROWS 1 PRECEDING").evaluatesAsSpark)
    assert(!one("", order = "-id").evaluatesAsSpark)
  }

  private def metrics(data: DataFrame): Map[String, Long] = {
    data.collect()
    window(data).metrics.map { case (name, metric) => name -> metric.value }
  }

  for ((keys, how) <- Seq("PARTITION BY id % 3" -> "sorted", "" -> "presorted")) {
    test(s"$how rows: a bound that no kernel can compute makes one fallback a task, with Spark's answer") {
      // A month after the last time is past the end of its type. Spark never compares it.
      val times =
        "(SELECT id, timestamp'294247-01-09' - make_dt_interval(cast(5000 - id AS int)) AS t FROM range(0, 5001, 1, 1))"
      val over =
        s"${keys.replace("% 3", "% 1")} ORDER BY t RANGE BETWEEN CURRENT ROW AND INTERVAL 1 MONTH FOLLOWING"
      val data = sum("id", over, times)
      assertEquals(metrics(data)(WindowMetrics.Fallbacks), 1L)
      assertEquals(data.collect().toSeq, off(sum("id", over, times)).collect().toSeq)
      assertEquals(metrics(sum("id", s"$keys ORDER BY id ROWS 9 PRECEDING"))(WindowMetrics.Fallbacks), 0L)
    }

    test(s"$how rows: a large value makes its own frames recalculated, and no fallback") {
      val over = s"$keys ORDER BY id ROWS 9 PRECEDING"
      val large = s"if(id = 700, ${Long.MaxValue - 1000000L}, id)"
      val data = sum(large, over)
      val found = metrics(data)
      assertEquals(found(WindowMetrics.Fallbacks), 0L)
      // The ten frames that hold the value; their sums are near the end of what a long holds.
      assert(found(WindowMetrics.Recalculated) <= 10L, found)
      assertEquals(data.collect().toSeq, off(sum(large, over)).collect().toSeq)
    }
  }

  for ((keys, how) <- Seq("PARTITION BY id % 1" -> "sorted", "" -> "presorted"))
    test(s"$how rows: an overflow in a row that is never read fails no query, and any other does") {
      val large = s"if(id IN (3000, 3001), ${Long.MaxValue - 1}, id)"
      val data = sum(large, s"$keys ORDER BY id ROWS 1 PRECEDING")
      assertEquals(data.limit(5).collect().map(_.getLong(1)).toSeq, Seq(0L, 1L, 3L, 5L, 7L))
      // Spark 3.5 wraps the error of a task.
      val errors = Iterator.iterate(intercept[Throwable](data.collect()))(_.getCause).takeWhile(_ != null)
      val conditions = errors.collect { case error: SparkThrowable => SparkErrors.conditionOf(error) }
      assert(conditions.contains("ARITHMETIC_OVERFLOW"))
    }

  test("rows that have been handed out are not evaluated again with what is left of their frames") {
    // A cut frame [4032, 4041] would overflow: it is no part of any real frame.
    val value = "CASE id WHEN 4030 THEN -9000000000000000000 WHEN 4040 THEN 9000000000000000000 " +
      "WHEN 4041 THEN 9000000000000000000 WHEN 4045 THEN -9000000000000000000 ELSE 0 END"
    val rows = "(SELECT id, if(id <= 4090, id, id + 60) AS t FROM range(0, 20000, 1, 1))"
    val over = "ORDER BY t RANGE 100 PRECEDING"
    assertEquals(sum(value, over, rows).collect().toSeq, off(sum(value, over, rows)).collect().toSeq)
  }

  private def off(data: => DataFrame): DataFrame = withSettings(SlidewiseSettings.Enabled -> false) {
    val made = data
    made.queryExecution.executedPlan
    made
  }

  test("EXPLAIN shows the methods, the sort and the fallback") {
    val shown = window(sum("id", "PARTITION BY id % 3 ORDER BY id ROWS 2 PRECEDING")).simpleString(1000)
    assert(shown.startsWith("SlidingWindow [array-kernels]"), shown)
    assert(shown.contains("sorts"), shown)
    assert(shown.contains("falls back to two-stacks-lite"), shown)
  }

  test("two queries of the same windows, of which one has a wider order, are the same plan") {
    val one = "SELECT k, rank() OVER (PARTITION BY k ORDER BY id % 5, id % 7) AS r, " +
      "sum(id) OVER (PARTITION BY k ORDER BY id % 5) AS s FROM (SELECT id, id % 3 AS k FROM range(90))"
    val data =
      spark.sql(s"SELECT count(*) FROM ($one) a JOIN ($one) b ON a.k = b.k AND a.s = b.s AND a.r = b.r")
    data.collect()
    val windows = collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w }
    assertEquals(windows.map(_.canonicalized).distinct.size, 2)
  }

  test("two queries of the same window share an exchange") {
    val one =
      "SELECT k, sum(id) OVER (PARTITION BY k ORDER BY id ROWS 2 PRECEDING) AS s FROM (SELECT id, id % 3 AS k FROM range(90))"
    val data = spark.sql(s"SELECT count(*) FROM ($one) a JOIN ($one) b ON a.k = b.k AND a.s = b.s")
    data.collect()
    val windows = collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w }
    assertEquals(windows.map(_.canonicalized).distinct.size, 1)
  }
}
