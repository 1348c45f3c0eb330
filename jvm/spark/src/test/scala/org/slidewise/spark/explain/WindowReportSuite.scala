package org.slidewise.spark.explain

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.expr

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings

class WindowReportSuite extends SparkSuite {

  private def reports(sql: String): Seq[WindowReport] =
    WindowReport.of(spark.sql(sql).queryExecution.executedPlan)

  test("reports come in the order of the query's columns, also of those nested in expressions") {
    val found = reports(
      """SELECT collect_list(id) OVER (ORDER BY id ROWS 3 PRECEDING) AS a,
                row_number() OVER (PARTITION BY id % 2 ORDER BY id) + 1 AS b,
                sum(id) OVER (PARTITION BY id % 2 ORDER BY id ROWS 3 PRECEDING) AS c,
                max(id) OVER (ORDER BY id ROWS 3 PRECEDING) AS d
         FROM range(10)"""
    )
    assertEquals(found.map(_.sql.takeWhile(_ != '(')), Seq("collect_list", "row_number", "sum", "max"))
    assertEquals(
      found.map(_.algorithm),
      Seq(Some("recalculation"), Some("array-kernels"), Some("array-kernels"), Some("array-kernels"))
    )
  }

  test("recalculation and Spark's own operator come with a reason, other methods without") {
    val found = reports(
      """SELECT collect_list(id) OVER (ORDER BY id ROWS 3 PRECEDING), lag(id, 2000) IGNORE NULLS OVER (ORDER BY id),
                sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) FROM range(10)"""
    )
    val (list, lag, moving) = (found(0), found(1), found(2))
    assert(list.reason.exists(_.contains("holds the values of the frame")), list)
    assert(lag.reason.exists(_.startsWith("lag with IGNORE NULLS at a distance of 2000 values")), lag)
    assertEquals(moving.reason, None)
    assertEquals(
      reports("SELECT sum(id) OVER (PARTITION BY id % 2 ORDER BY id) FROM range(10)").map(_.reason),
      Seq(None)
    )
  }

  test("a window without PARTITION BY says whether tasks share its rows, or why not") {
    def reason(rows: Int) =
      reports(s"SELECT sum(id) OVER (ORDER BY id) FROM range(0, $rows, 1, 4)").head.reason
    assertEquals(reason(1000000), Some("tasks share the rows, at least 500000 each"))
    assertEquals(reason(1000), None)
  }

  test("a sum of small decimals is reported as it was written, though the optimizer has wrapped it") {
    val found = reports("SELECT sum(cast(id AS decimal(8, 2))) OVER (ORDER BY id) FROM range(10)")
    assertEquals(found.map(_.algorithm), Seq(Some("array-kernels")))
  }

  test("a window whose ranks a filter limits says that few rows are sorted") {
    val sql = "SELECT id, rank() OVER (PARTITION BY id % 3 ORDER BY id) AS n FROM range(10)"
    val note = "only the first rows of each partition are sorted"
    assertEquals(reports(sql).count(_.reason.exists(_.contains(note))), 0)
    assertEquals(reports(s"SELECT id FROM ($sql) WHERE n = 1").count(_.reason.exists(_.contains(note))), 1)
  }

  test("a cached relation that is read twice, also by another cached one, is reported once") {
    val session = spark
    val moving =
      session.sql("SELECT id, sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) AS s FROM range(10)").cache()
    val above = moving.selectExpr("id", "max(s) OVER (ORDER BY id ROWS 2 PRECEDING) AS m").cache()
    try {
      def sqlOf(query: DataFrame) =
        WindowReport.of(query.queryExecution.executedPlan).map(_.sql.takeWhile(_ != '('))
      assertEquals(sqlOf(moving.as("a").join(moving.as("b"), expr("a.id = b.s"))), Seq("sum"))
      assertEquals(sqlOf(moving.join(above, "id")).sorted, Seq("max", "sum"))
    } finally {
      above.unpersist()
      moving.unpersist()
    }
  }

  test("a query that was planned while Slidewise was off says so") {
    spark.conf.set(SlidewiseSettings.Enabled, "false")
    try
      assertEquals(
        reports("SELECT sum(id) OVER (ORDER BY id ROWS 3 PRECEDING) FROM range(10)").map(_.reason),
        Seq(Some("spark.slidewise.enabled is false"))
      )
    finally spark.conf.unset(SlidewiseSettings.Enabled)
  }

  test("a hopping window that is left to Spark is reported with the reason, also without functions") {
    val windows = "SELECT window(timestamp_seconds(id), '3 seconds', '2 seconds')"
    for (
      calls <- Seq(
        "count(DISTINCT id)",
        "count(DISTINCT id), sum(DISTINCT id % 3)",
        "max(id), count(DISTINCT id), sum(DISTINCT id % 3)"
      )
    ) {
      val found = reports(s"$windows, $calls FROM range(10) GROUP BY 1")
      assert(found.nonEmpty, calls)
      assert(found.forall(r => r.algorithm.isEmpty && r.reason.exists(_.contains("DISTINCT"))), found)
    }
    val taken = reports(s"$windows, max(id), sum(id) FROM range(10) GROUP BY 1")
    assertEquals(
      taken.map(r => r.sql -> r.algorithm),
      Seq("max", "sum").map(f =>
        s"$f(id) GROUP BY window(timestamp_seconds(id), '3 seconds', '2 seconds')" -> Some("two-stacks-lite")
      )
    )
  }
}
