package org.slidewise.spark.execution.arrays

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.LongRun
import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.shims.SparkErrors

/** Rows that come in order, and are answered in arrays some at a time. */
class PresortedArraysSuite extends SparkSuite with AdaptiveSparkPlanHelper {
  private val frames = Seq(
    "ROWS 3 PRECEDING",
    "ROWS BETWEEN 4500 PRECEDING AND 4400 PRECEDING",
    "ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
    "ROWS BETWEEN 700 FOLLOWING AND 800 FOLLOWING",
    "ROWS BETWEEN 600 PRECEDING AND 900 FOLLOWING",
    "ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING",
    "RANGE BETWEEN 2 PRECEDING AND CURRENT ROW",
    "RANGE BETWEEN 3 PRECEDING AND 40 FOLLOWING",
    "RANGE BETWEEN 900 PRECEDING AND 800 PRECEDING",
    "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
    "ROWS UNBOUNDED PRECEDING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 700 FOLLOWING",
    "RANGE UNBOUNDED PRECEDING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND 3 FOLLOWING",
    "RANGE BETWEEN CURRENT ROW AND CURRENT ROW",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
  )

  private val calls =
    Seq(
      "sum(v)",
      "count(*)",
      "count(v)",
      "min(x)",
      s"max(v) ${filter("id % 3 = 1")}",
      "sum(cast(v AS double))"
    )

  /** Partitions of one row, of a few, and of more than are taken at a time, in one task; with ties and nulls. */
  private val rows = """
    (SELECT CASE WHEN id < 5000 THEN 'a' WHEN id < 5001 THEN 'b' WHEN id < 7000 THEN concat('c', id % 500) ELSE 'd' END p,
            if(id % 100 = 7, null, (id * 7919) % 5003) t, id, if(id % 11 = 3, null, id % 1000) v,
            if(id % 13 = 3, null, double(id * 31 % 997)) x
     FROM range(0, 12000, 1, 1))"""

  for (frame <- frames; order <- Seq("t ASC NULLS FIRST", "t DESC NULLS LAST", "t ASC NULLS LAST"))
    test(s"$frame, $order") {
      // Spark takes a time that is quadratic in the rows.
      val slow = frame.contains("UNBOUNDED FOLLOWING") || frame.contains("900 FOLLOWING")
      val some = if (slow) calls.take(LongRun.orLess(calls.size, 1)) else calls
      for (keys <- Seq("", "p")) {
        val over = s"OVER (${if (keys.isEmpty) "" else s"PARTITION BY $keys"} ORDER BY $order $frame)"
        val sorted =
          s"(SELECT * FROM $rows SORT BY ${(Seq(keys).filter(_.nonEmpty) :+ order).mkString(", ")})"
        assertSame(s"SELECT id, ${some.map(call => s"$call $over").mkString(", ")} FROM $sorted")
      }
    }

  for (
    frame <- Seq(
      "INTERVAL 1 MONTH FOLLOWING AND INTERVAL 2 MONTH FOLLOWING",
      "CURRENT ROW AND INTERVAL 2 MONTH FOLLOWING"
    )
  )
    test(s"RANGE BETWEEN $frame: ends that would move back at the end of a month") {
      // The first rows with answers are those up to some hour of January 31, of the 32,768 rows that are taken by then.
      for (hour <- 10 until 26 by 8) {
        val times = s"timestamp_ntz'2025-12-07' + make_dt_interval(0, $hour, id * 5)"
        val rows = s"(SELECT id, $times AS t FROM range(0, 34000, 1, 1) SORT BY t)"
        assertSame(s"SELECT id, count(*) OVER (ORDER BY t RANGE BETWEEN $frame) AS n FROM $rows")
      }
    }

  for (keys <- Seq("", "PARTITION BY p"))
    test(s"ranks and other rows' values, OVER ($keys ORDER BY t, v)") {
      val sorted = s"(SELECT * FROM $rows SORT BY ${if (keys.isEmpty) "" else "p, "}t, v)"
      val places = Seq(
        "row_number()",
        "rank()",
        "dense_rank()",
        "percent_rank()",
        "cume_dist()",
        "ntile(7)",
        "lag(v)",
        "lag(x, 5000, -x)",
        "lead(v) IGNORE NULLS",
        "last_value(x)",
        "first_value(v) IGNORE NULLS",
        "nth_value(v, 4500)"
      )
      val columns = places.map(_ -> "") :+ ("max(v)" -> "ROWS 2 PRECEDING")
      val calls = columns.map { case (call, frame) => s"$call OVER ($keys ORDER BY t, v $frame)" }
      assertSame(s"SELECT id, ${calls.mkString(", ")} FROM $sorted")
    }

  /** The same rows with Slidewise and without, in one order, and none sorted by Slidewise. */
  private def assertSame(sql: String): Unit = {
    val expected = off(spark.sql(sql).collect().toSeq)
    val data = spark.sql(sql)
    assertEquals(data.collect().toSeq, expected)
    assertStreamed(data)
  }

  private def off[T](body: => T): T = withSettings(SlidewiseSettings.Enabled -> false)(body)

  private def assertStreamed(data: DataFrame): Unit = {
    val found = windows(data)
    assertEquals(found.map(_.plan.methods.map(_.toString)), Seq(Seq("array-kernels")))
    assert(!found.head.simpleString(1000).contains("sorts"), found.head)
  }

  private def windows(data: DataFrame): Seq[SlidingWindowExec] =
    collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w }

  for (frame <- Seq("ROWS 999 PRECEDING", "ROWS BETWEEN 500 PRECEDING AND 499 FOLLOWING"))
    test(s"$frame: memory is of the frame's size, not of the partition's") {
      val peaks = for (rows <- Seq(20000, 400000)) yield {
        val data = spark.sql(
          s"SELECT sum(s) FROM (SELECT max(id) OVER (ORDER BY id $frame) AS s FROM range(0, $rows, 1, 1))"
        )
        data.collect()
        assertStreamed(data)
        windows(data).head.metrics("peakMemory").value
      }
      assertEquals(peaks.last, peaks.head)
      assert(peaks.last < (1 << 20), peaks)
    }

  /** Rows after which kernels could overflow, though Spark's sums do not. */
  for (large <- Seq(0, 5000, 4095, 4096, 9999))
    test(s"a large value in row $large: the other operator goes on") {
      val v = s"if(id = $large OR id = $large + 2, ${1L << 61}, id)"
      for (frame <- Seq("ROWS 5 PRECEDING", "ROWS BETWEEN 40 PRECEDING AND 7 FOLLOWING", "RANGE 9 PRECEDING"))
        assertSame(s"SELECT id, sum($v) OVER (ORDER BY id $frame) AS s FROM range(0, 10000, 1, 1)")
    }

  test("an end that would fail where no row is compared with it does not fail") {
    assertSame(
      """SELECT i, sum(i) OVER (ORDER BY t RANGE BETWEEN CURRENT ROW AND INTERVAL 1 MONTH FOLLOWING)
         FROM (SELECT id AS i, timestamp'294247-01-09' - make_dt_interval(cast(5000 - id AS int)) AS t
               FROM range(0, 5001, 1, 1) SORT BY t)"""
    )
  }

  test("an input that fails, and a sum that overflows, fail as in Spark") {
    for (value <- Seq("1 / if(id = 7000, 0, 1)", s"if(id BETWEEN 7000 AND 7003, ${1L << 61}, id)")) {
      def error(): String = {
        val sql = s"SELECT id, sum($value) OVER (ORDER BY id ROWS 9 PRECEDING) FROM range(0, 10000, 1, 1)"
        SparkErrors.conditionOf(intercept[Throwable with SparkThrowable](spark.sql(sql).collect()))
      }
      assertEquals(error(), off(error()))
    }
  }

  test("rows of text come out whole") {
    assertSame(
      """SELECT repeat('x', cast(id % 50 AS int)) AS a, if(id % 3 = 0, null, array(id)) AS b, avg(id) OVER w AS c,
                min(cast(id AS smallint)) OVER w AS d, count(if(id % 5 = 0, 1, null)) OVER w AS e
         FROM range(0, 9000, 1, 1) WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING)"""
    )
  }

  test("a window over a window's rows") {
    val inner = "SELECT *, sum(id) OVER (PARTITION BY p ORDER BY id ROWS 2 PRECEDING) AS s FROM " +
      "(SELECT id, id % 3 AS p FROM range(0, 20000))"
    val sql =
      s"SELECT *, max(s) OVER (PARTITION BY p ORDER BY id ROWS BETWEEN 4 PRECEDING AND 1 FOLLOWING) FROM ($inner)"
    val expected = off(spark.sql(sql).collect().toSeq)
    val data = spark.sql(sql)
    assertEquals(data.collect().toSeq, expected)
    assertEquals(windows(data).map(_.simpleString(1000).contains("sorts")), Seq(false, true))
    assertEquals(windows(data).flatMap(_.plan.methods.map(_.toString)), Seq("array-kernels", "array-kernels"))
  }
}
