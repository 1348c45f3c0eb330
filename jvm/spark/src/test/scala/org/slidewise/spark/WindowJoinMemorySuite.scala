package org.slidewise.spark

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.LongRun
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.WindowJoinExec

/**
 * Window joins with far less memory than the rows of either side need. The expected answer comes from windows of the same table over
 * itself.
 */
class WindowJoinMemorySuite extends SparkSuite with AdaptiveSparkPlanHelper {

  override protected def settings: Map[String, String] =
    Map("spark.testing.memory" -> (40L << 20).toString, "spark.testing.reservedMemory" -> "0")

  private val columns =
    Seq("id % 3 AS k", "(id * 7919) % 400009 AS t", "id", "repeat(cast(id AS string), 8) AS s")

  for {
    (what, calls) <- Seq(
      "numbers" -> "sum(id) AS a, count(*) AS b",
      "strings" -> "max(s) AS a, count(*) AS b",
      "numbers and strings" -> "sum(id) AS a, min(s) AS b"
    )
    sort <- Seq(true, false)
  } test(s"a join over $what, sorted by ${if (sort) "Slidewise" else "Spark"}, spills and is right") {
    withSettings(SlidewiseSettings.Sort -> sort) {
      spark.range(0, 200000, 1, 4).selectExpr(columns: _*).createOrReplaceTempView("rows")
      def checksum(from: String) = s"SELECT count(*), sum(hash(id, s, a, b)) FROM ($from)"
      val joined = spark.sql(
        checksum(
          s"SELECT l.id, l.s, f.a, f.b FROM rows l, LATERAL " +
            s"(SELECT $calls FROM rows e WHERE e.k = l.k AND e.t >= l.t - 5000 AND e.t <= l.t) f"
        )
      )
      val answer = joined.collect().toSeq
      val window = "OVER (PARTITION BY k ORDER BY t RANGE BETWEEN 5000 PRECEDING AND CURRENT ROW)"
      val over = spark.sql(checksum(s"SELECT id, s, ${calls.replace(") AS", s") $window AS")} FROM rows"))
      assertEquals(answer, over.collect().toSeq)
      val operators = collectWithSubqueries(joined.queryExecution.executedPlan) { case j: WindowJoinExec =>
        j
      }
      assertEquals(operators.map(_.plan.sorts), Seq(sort))
    }
  }

  test("all rows of one key, whose frames move back and forth".tag(LongRun)) {
    withSettings(SlidewiseSettings.Sort -> true) {
      val columns = Seq("id", "(id * 7919) % 100003 AS t", "repeat(cast(id AS string), 30) AS s")
      spark.range(0, 100000, 1, 4).selectExpr(columns: _*).createOrReplaceTempView("rows")
      // Times are distinct numbers below 100003, of which three are missing.
      val joined = spark.sql(
        "SELECT count(*), count_if(f.n BETWEEN l.id % 777 AND l.id % 777 + 3), count_if(f.m > '0') FROM rows l, LATERAL " +
          "(SELECT count(*) AS n, max(s) AS m FROM rows e WHERE e.t > l.t AND e.t <= l.t + l.id % 777 + 3) f WHERE l.t < 99000"
      )
      val row = joined.collect().head
      assertEquals(row.getLong(1), row.getLong(0))
      assert(row.getLong(0) > 98000L && row.getLong(2) == row.getLong(0), row)
    }
  }
}
