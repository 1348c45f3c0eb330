package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.task.WindowMetrics

/** Sums and means of decimals, by their unscaled values. */
class DecimalKernelsSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private def table(kind: String, most: String): String =
    s"""(SELECT id, id % 5 AS k, pmod(hash(id), 40) AS t, repeat('s', CAST(id % 4 AS INT)) AS s, CAST(id AS DECIMAL(30, 4)) AS w,
       |IF(id % 7 = 3 OR id % 5 = 1, NULL, CAST((pmod(xxhash64(id), 2 * $most + 1) - $most) || 'e-2' AS $kind)) AS x
       |FROM range(0, 400, 1, 2))""".stripMargin

  private val kinds = Seq(
    "DECIMAL(9, 2)" -> "999999999L",
    "DECIMAL(13, 2)" -> "99999999999L",
    "DECIMAL(18, 2)" -> "1000000000000L",
    "DECIMAL(25, 2)" -> "99999999L",
    "DECIMAL(38, 10)" -> "10000L"
  )

  private val frames = Seq(
    "PARTITION BY k",
    "PARTITION BY k ORDER BY t",
    "PARTITION BY k ORDER BY t, id ROWS 9 PRECEDING",
    "PARTITION BY k ORDER BY t, id ROWS BETWEEN 3 FOLLOWING AND 6 FOLLOWING",
    "PARTITION BY k ORDER BY t RANGE BETWEEN 3 PRECEDING AND 5 FOLLOWING",
    "PARTITION BY k ORDER BY t, id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ORDER BY t, id"
  )

  private def answer(sql: String): Seq[String] = spark.sql(sql).collect().map(_.toString).sorted.toSeq

  private def fallbacksOf(plan: SparkPlan): Seq[Long] =
    collect(plan) { case window: SlidingWindowExecBase => window.metrics(WindowMetrics.Fallbacks).value }

  /** Compares with Spark, and returns the fallbacks of each operator. */
  private def check(sql: String): Seq[Long] = {
    val data = spark.sql(sql)
    val found = data.collect().map(_.toString).sorted.toSeq
    assertEquals(found, withSettings(SlidewiseSettings.Enabled -> false)(answer(sql)), sql)
    fallbacksOf(data.queryExecution.executedPlan)
  }

  for ((kind, most) <- kinds; over <- frames)
    test(s"$kind, $over") {
      val calls = Seq("sum(x)", "avg(x)", "try_sum(x)", "avg(-x)", "sum(if(t > 9, x, null))", "max(x)")
      val each = calls.map(call => s"$call OVER ($over)").mkString(", ")
      for (
        (columns, tasks, group) <- Seq(
          ("id", 10, false),
          ("id, s, w, x", 1000000, false),
          ("id", 1000000, true)
        )
      )
        withSettings(SlidewiseSettings.ParallelMinRows -> tasks) {
          val sql = s"SELECT $columns, $each FROM ${table(kind, most)}"
          val whole =
            if (group) s"SELECT count(*), max(a), min(b) FROM ($sql) AS r($columns, a, b, c, d, e, f)"
            else sql
          val fallbacks = check(whole)
          assert(fallbacks.nonEmpty && fallbacks.forall(_ == 0), fallbacks)
        }
    }

  test("sorted input") {
    val sorted = s"(SELECT * FROM ${table("DECIMAL(15, 2)", "999999L")} DISTRIBUTE BY k SORT BY k, t, id)"
    val sql = s"SELECT *, sum(x) OVER w, avg(x) OVER w, max(s) OVER w FROM $sorted " +
      "WINDOW w AS (PARTITION BY k ORDER BY t, id ROWS 9 PRECEDING)"
    assertEquals(check(sql), Seq(0L))
  }

  test("rows have the bytes that Spark writes, also for nulls, from sorted input and not") {
    for (order <- Seq("SORT BY k, t, id", "")) {
      val rows = s"(SELECT id, k, t, x FROM ${table("DECIMAL(15, 2)", "999999L")} DISTRIBUTE BY k $order)"
      val data = spark.sql(
        s"SELECT *, sum(x) OVER w, count(x) OVER w, avg(x) OVER w FROM $rows WINDOW w AS (PARTITION BY k ORDER BY t, id ROWS 1 PRECEDING)"
      )
      val types = data.schema.map(_.dataType).toArray
      val same = data.queryExecution.toRdd.mapPartitions { found =>
        val projection = UnsafeProjection.create(types)
        found.map(row => projection(row) == row)
      }
      assertEquals(same.collect().toSeq, Seq.fill(400)(true), order)
      assertEquals(fallbacksOf(data.queryExecution.executedPlan), Seq(0L))
    }
  }

  test("sums of more than 64 bits, and values of more, are evaluated row by row") {
    for {
      (kind, most) <- Seq("DECIMAL(18, 2)" -> "900000000000000000L", "DECIMAL(38, 10)" -> "2000000000000000L")
      over <- frames.init
    } {
      val sql =
        s"SELECT id, sum(x) OVER ($over), avg(x) OVER ($over), sum(t) OVER ($over) FROM ${table(kind, most)}"
      val fallbacks = check(sql)
      assert(fallbacks.nonEmpty && fallbacks.forall(_ > 0), s"$fallbacks $sql")
    }
  }

  test("sums in several tasks of which the others' have more than 64 bits") {
    withSettings(SlidewiseSettings.ParallelMinRows -> 10) {
      val rows = "(SELECT id, CAST(IF(id < 200, 9e15, 1) AS DECIMAL(18, 2)) AS x FROM range(0, 400, 1, 2))"
      check(s"SELECT id, sum(x) OVER (ORDER BY id), avg(x) OVER (ORDER BY id DESC) FROM $rows"): Unit
      val wide = s"(SELECT id, CAST(IF(id = 3, '99999999999', id) AS DECIMAL(38, 10)) AS x FROM $rows)"
      check(s"SELECT id, max(x) OVER (ORDER BY id), min(x) OVER (ORDER BY id DESC) FROM $wide"): Unit
    }
  }

  test("means in the middle between two decimals are rounded away from zero") {
    val sql = "SELECT id, avg(x) OVER (PARTITION BY k) FROM (SELECT id, id DIV 8 AS k, " +
      "CAST(IF(id DIV 8 % 2 = 0, 1, -1) * (id % 8 + id DIV 16) AS DECIMAL(18, 0)) * 0.0001 AS x FROM range(400))"
    assertEquals(check(sql), Seq(0L))
  }
}
