package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.DynamicPruning
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.HoppingWindowExec

/** What Spark's optimizer, and adaptive execution, make of the rows of hopping windows: never fewer than there are. */
class HoppingRowsSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private def off[T](body: => T): T = withSettings(SlidewiseSettings.Enabled -> "false")(body)

  private def operators(data: DataFrame): Int =
    collectWithSubqueries(data.queryExecution.executedPlan) { case hopping: HoppingWindowExec =>
      hopping
    }.size

  /** An event of each key, in `windows` windows. */
  private def events(keys: Int, windows: Int): String =
    s"""SELECT window.start AS s, k, count(*) AS n FROM (SELECT id AS k, timestamp_seconds(7 * id + 3) AS t FROM range($keys))
        GROUP BY window(t, '$windows seconds', '1 second'), k"""

  for {
    keys <- Seq(1, 3)
    windows = 5
    rows = keys * windows
  } {
    def same(sql: String): Seq[Row] = {
      def result = spark.sql(sql)
      val (on, expected) = (result, off(result.collect().toSeq))
      val found = on.collect().toSeq
      assert(operators(on) > 0, on.queryExecution.executedPlan)
      assertEquals(found, expected, sql)
      found
    }

    test(s"operators over $rows windows of $keys panes keep their rows") {
      val hopping = events(keys, windows)
      for (limit <- Seq(keys, rows - 1))
        assertEquals(
          same(s"SELECT sum(n) FROM (SELECT * FROM ($hopping) LIMIT $limit)").head.getLong(0),
          limit.toLong
        )
      same(s"SELECT * FROM ($hopping) ORDER BY s DESC, k LIMIT $keys OFFSET 1")
      if (keys == 1) {
        assertEquals(same(s"SELECT * FROM ($hopping) ORDER BY s DESC, k").size, rows)
        same(s"SELECT DISTINCT n FROM ($hopping)")
        same(s"SELECT (SELECT n FROM ($hopping) LIMIT 1), EXISTS (SELECT * FROM ($hopping) WHERE n = 1)")
      }
    }
  }

  test("adaptive execution broadcasts no windows that are larger than their panes") {
    withSettings("spark.sql.autoBroadcastJoinThreshold" -> "100000") {
      val data = spark.sql(
        s"SELECT count(*) FROM (${events(50, 3600)}) JOIN range(200000) ON n = id AND s > timestamp_seconds(id)"
      )
      data.collect()
      assertEquals(operators(data), 1)
      assertEquals(
        collect(data.queryExecution.executedPlan) { case join: BroadcastHashJoinExec => join }.size,
        0
      )
    }
  }

  test("dynamic partition pruning reaches the scan below hopping windows") {
    withSettings("spark.sql.adaptive.enabled" -> "false") {
      spark
        .range(1000)
        .selectExpr("id % 10 AS p", "timestamp_seconds(id) AS t")
        .write
        .partitionBy("p")
        .saveAsTable("parts")
      spark.range(10).selectExpr("id AS p", "concat('n', id) AS name").write.saveAsTable("names")
      try {
        val sql =
          """SELECT w.start, p, n FROM (SELECT p, window(t, '1 hour', '7 minutes') AS w, count(*) AS n FROM parts GROUP BY 1, 2)
              JOIN names USING (p) WHERE name = 'n3' ORDER BY 1, 2"""
        val data = spark.sql(sql)
        val expected = off(spark.sql(sql).collect().toSeq)
        assertEquals(data.collect().toSeq, expected)
        assertEquals(operators(data), 1)
        val pruned = data.queryExecution.executedPlan.collect {
          case scan: FileSourceScanExec
              if scan.partitionFilters.exists(_.exists(_.isInstanceOf[DynamicPruning])) =>
            scan
        }
        assertEquals(pruned.size, 1, data.queryExecution.executedPlan)
      } finally Seq("parts", "names").foreach(table => spark.sql(s"DROP TABLE $table"))
    }
  }

  test("Spark evaluates hopping windows whose rows are not bounded") {
    withSettings("spark.sql.optimizer.excludedRules" -> EstimateHoppingWindows.ruleName) {
      val data = spark.sql(s"SELECT * FROM (${events(1, 5)}) LIMIT 2")
      assertEquals(data.collect().length, 2)
      assertEquals(operators(data), 0)
    }
  }
}
