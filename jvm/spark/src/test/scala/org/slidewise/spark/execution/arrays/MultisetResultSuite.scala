package org.slidewise.spark.execution.arrays

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.execution.task.{MemoryMetrics, WindowMetrics}
import org.slidewise.spark.shims.SparkErrors

/** [[MultisetResults]] with Spark's pages on the heap. */
class MultisetResultSuite extends MultisetResults

/** [[MultisetResults]] with Spark's pages off-heap. */
class OffHeapMultisetResultSuite extends MultisetResults {
  override protected def settings: Map[String, String] =
    Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> (256L << 20).toString)
}

/** DISTINCT aggregates, percentiles and modes in arrays, of rows that the operator sorts and of rows that come in order. */
abstract class MultisetResults extends SparkSuite with AdaptiveSparkPlanHelper {
  import MultisetResults._

  private val since40 = BuiltFor.MINOR != "3.5"

  private def windows(data: DataFrame): Seq[SlidingWindowExec] =
    collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w }

  /** The rows, all of which arrays have evaluated, after a sort of the operator or without. */
  private def inArrays(sql: String, sorts: Boolean): Seq[Row] = {
    val data = spark.sql(sql)
    val found = data.collect().toSeq
    val one = windows(data) match {
      case Seq(window) => window
      case others      => fail(s"${others.size} operators of Slidewise")
    }
    assertEquals(one.simpleString(1000).contains("sorts"), sorts)
    assertEquals((one.plan.rowWise.isEmpty, one.metrics(WindowMetrics.Fallbacks).value), (true, 0L))
    found
  }

  private val calls = Seq(
    "count(DISTINCT v)",
    "count(DISTINCT s)",
    "count(DISTINCT v, s)",
    "count(DISTINCT named_struct('d', d, 'v', v))",
    "count(DISTINCT d)",
    "count(DISTINCT s, v) @filter",
    "sum(DISTINCT v)",
    "avg(DISTINCT v)",
    "percentile(v, 0.3)",
    "percentile(v, array(0.0, 0.7))",
    "percentile_cont(0.3) WITHIN GROUP (ORDER BY d DESC)",
    "percentile_disc(0.3) WITHIN GROUP (ORDER BY m)"
  ).map(_.replace("@filter", filter("id % 3 > 0"))) ++
    (if (since40) Seq("mode() WITHIN GROUP (ORDER BY d)", "mode() WITHIN GROUP (ORDER BY m DESC)") else Nil)

  /** Partitions of one row, of a few, and of more than are taken at a time. */
  private val rows = """
    (SELECT CASE WHEN id < 5000 THEN 'a' WHEN id < 5001 THEN 'b' WHEN id < 5600 THEN concat('c', id % 50) ELSE 'd' END p, id,
            id * 7919 % 5003 t, if(id % 11 = 3, null, id * 31 % 17) v, cast(id * 37 % 13 AS decimal(9, 2)) m,
            element_at(array(-0.0D, 0.0D, double('NaN'), NULL, 2.5D), 1 + cast(id * 3 % 5 AS int)) d,
            concat('a long prefix of ', id * 29 % 19) s FROM range(0, 6000, 1, 1))"""

  for (
    frame <- Seq(
      "ROWS 3 PRECEDING",
      "ROWS BETWEEN 4500 PRECEDING AND 4490 PRECEDING",
      "ROWS BETWEEN 20 PRECEDING AND 31 FOLLOWING",
      "RANGE BETWEEN 10 PRECEDING AND 40 FOLLOWING"
    );
    sorts <- Seq(true, false)
  )
    test(s"$frame, ${how(sorts)}: arrays yield what recalculation yields") {
      val source = if (sorts) rows else s"(SELECT * FROM $rows SORT BY p, t)"
      val over = s"OVER (PARTITION BY p ORDER BY t $frame)"
      val sql = s"SELECT id, ${calls.map(call => s"$call $over").mkString(", ")} FROM $source"
      val found = inArrays(sql, sorts)
      val expected = withSettings(
        SlidewiseSettings.NeverMerge ->
          "count, sum, avg, percentile, percentile_cont, percentile_disc, mode"
      )(spark.sql(sql).collect().toSeq)
      assertEquals(found.size, 6000)
      assertEquals(byId(found), byId(expected))
    }

  // Spark's percentiles keep the sign of a zero.
  private def byId(rows: Seq[Row]): Map[Long, String] =
    rows.map(row => row.getLong(0) -> row.toString.replace("-0.0", "0.0")).toMap

  for (sorts <- Seq(true, false))
    test(s"${how(sorts)} rows: frames of 10,000 rows over a partition of 100,000") {
      val over = s"OVER (${partition(sorts)} ORDER BY id ROWS 9999 PRECEDING)"
      // n rows from `lo` on
      val sql = s"""
        SELECT id, count(DISTINCT id % 1000) $over AS a, count(DISTINCT cast(id % 1000 AS string)) $over AS b,
               sum(DISTINCT id % 1000) $over AS c, percentile(id, 0.5) $over AS d,
               percentile_disc(0.25) WITHIN GROUP (ORDER BY id) $over AS e, mode(id DIV 7) $over AS f
        FROM range(0, 100000, 1, 1)"""
      val found = inArrays(sql, sorts)
      assertEquals(found.size, 100000)
      val wrong = found.filter { row =>
        val id = row.getLong(0)
        val n = math.min(id + 1, 10000L)
        val lo = id - n + 1
        val distinct = math.min(n, 1000L)
        Row(
          id,
          distinct,
          distinct,
          distinct * (distinct - 1) / 2,
          (lo + id) / 2.0,
          (lo + (n + 3) / 4 - 1).toDouble,
          (lo + 6) / 7
        ) != row
      }
      assertEquals(wrong.take(3), Nil)
    }

  test("memory is of the frame's size where rows come in order, not of the partition's") {
    val peaks = for (rows <- Seq(20000, 200000)) yield {
      val data = spark.sql(
        "SELECT sum(a), sum(b) FROM (SELECT count(DISTINCT id % 700) OVER w AS a, percentile(id, 0.5) OVER w AS b " +
          s"FROM range(0, $rows, 1, 1) WINDOW w AS (ORDER BY id ROWS 999 PRECEDING))"
      )
      data.collect()
      windows(data).head.metrics(MemoryMetrics.Peak).value
    }
    assertEquals(peaks.last, peaks.head)
    assert(peaks.last < (2 << 20), peaks)
  }

  test("the dictionary of values that no 64 bits hold is a part of the memory") {
    def peak(value: String) = {
      val data =
        spark.sql(
          s"SELECT sum(a) FROM (SELECT count(DISTINCT $value) OVER (ORDER BY id ROWS 9 PRECEDING) AS a FROM range(0, 20000, 1, 1))"
        )
      data.collect()
      windows(data).head.metrics(MemoryMetrics.Peak).value
    }
    assert(peak("lpad(cast(id AS string), 200, 'x')") - peak("id") > 20000 * 200)
  }

  /** Two neighbours whose sum, unlike each of them, is too large. */
  private val large =
    s"CASE id WHEN 3000 THEN ${Long.MaxValue - 10} WHEN 3001 THEN ${Long.MaxValue - 11} ELSE id % 5 END"

  private def sum(name: String, value: String, sorts: Boolean, preceding: Int = 1): String =
    s"SELECT id, $name(DISTINCT $value) OVER (${partition(sorts)} ORDER BY id ROWS $preceding PRECEDING) AS answer " +
      "FROM range(0, 20000, 1, 1)"

  for (sorts <- Seq(true, false)) {
    test(
      s"${how(sorts)} rows: a sum that overflows fails with Spark's error, in its own row and no earlier"
    ) {
      val data = spark.sql(sum("sum", large, sorts))
      assertEquals(windows(data).map(_.plan.arrays.isDefined), Seq(true))
      assertEquals(data.limit(5).collect().map(_.getLong(1)).toSeq, Seq(0L, 1L, 3L, 5L, 7L))
      // Spark 3.5 wraps the error of a task.
      val errors = Iterator.iterate(intercept[Throwable](data.collect()))(_.getCause).takeWhile(_ != null)
      val conditions = errors.collect { case error: SparkThrowable => SparkErrors.conditionOf(error) }
      assert(conditions.contains("ARITHMETIC_OVERFLOW"))
      assertEquals(handedOut(data), 3001L)
    }

    test(s"${how(sorts)} rows: try_sum is null where the sum overflows, and nowhere else") {
      val found = inArrays(sum("try_sum", large, sorts), sorts)
      assertEquals(found.filter(_.isNullAt(1)).map(_.getLong(0)), Seq(3001L))
      val answers = found.map(row => row.getLong(0) -> row.get(1)).toMap
      assertEquals(Seq(9L, 3000L, 3002L).map(answers), Seq[Any](7L, Long.MaxValue - 6, Long.MaxValue - 9))
    }

    test(s"${how(sorts)} rows: without ANSI mode a sum wraps around") {
      val found = withSettings("spark.sql.ansi.enabled" -> "false")(inArrays(sum("sum", large, sorts), sorts))
      val answers = found.map(row => row.getLong(0) -> row.get(1)).toMap
      assertEquals(answers(3001L), -23L: Any)
      assertEquals(answers(9L), 7L: Any)
    }

    test(s"${how(sorts)} rows: equal large values are added once, and negative ones bring a sum back") {
      val equal = sum("sum", s"if(id IN (3000, 3001), ${Long.MaxValue - 4}, id % 5)", sorts)
      val answers = inArrays(equal, sorts).map(row => row.getLong(0) -> row.getLong(1)).toMap
      assertEquals(
        Seq(3000L, 3001L, 3002L).map(answers),
        Seq(Long.MaxValue, Long.MaxValue - 4, Long.MaxValue - 2)
      )
      val back = s"CASE id % 3 WHEN 0 THEN ${Long.MaxValue} WHEN 1 THEN -7 ELSE 1 END"
      val three =
        inArrays(sum("sum", back, sorts, preceding = 2).replace("20000, 1, 1", "30, 1, 1"), sorts = sorts)
      assertEquals(three.drop(3).map(_.getLong(1)).distinct, Seq(Long.MaxValue - 6))
    }

    test(s"${how(sorts)} rows: the mean of large distinct values does not overflow") {
      val found =
        inArrays(sum("avg", large, sorts), sorts).map(row => row.getLong(0) -> row.getDouble(1)).toMap
      assertEquals(found(3001L), Long.MaxValue.toDouble)
      assertEquals(Seq(0L, 1L, 9L).map(found), Seq(0.0, 0.5, 3.5))
    }

    test(s"${how(sorts)} rows: frames without values") {
      val over = s"OVER (${partition(sorts)} ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)"
      val functions = Seq(
        "count(DISTINCT x)",
        "sum(DISTINCT x)",
        "try_sum(DISTINCT x)",
        "avg(DISTINCT x)",
        "avg(DISTINCT double(x))",
        "percentile(x, 0.5)",
        "mode(x)"
      )
      val found = inArrays(
        s"SELECT id, ${functions.map(f => s"$f $over").mkString(", ")} FROM (SELECT id, if(id < 3, null, id % 2) AS x FROM range(0, 20, 1, 1))",
        sorts
      ).sortBy(_.getLong(0))
      assertEquals(
        found.take(4).map(_.toSeq.drop(1)).distinct,
        Seq(Seq[Any](0L, null, null, null, null, null, null))
      )
      assertEquals(found.last.toSeq.drop(1), Seq[Any](2L, 1L, 1L, 0.5, 0.5, 0.5, 0L))
    }
  }

  for (sorts <- Seq(true, false))
    test(s"${how(sorts)} rows: strings whose collation makes them equal are those of the frame") {
      assume(since40, "no collations")
      val source =
        "(SELECT id, element_at(array('A', 'a', 'a', 'B', 'b'), 1 + cast(id % 5 AS int)) COLLATE UTF8_LCASE AS s FROM range(0, 10, 1, 1))"
      val sql =
        s"SELECT id, count(DISTINCT s) OVER w, collect_list(DISTINCT s) OVER w, mode(s) OVER w FROM $source WINDOW w AS (${partition(sorts)} ORDER BY id ROWS 1 PRECEDING)"
      val found = spark.sql(sql).collect().toSeq
      val expected =
        withSettings(SlidewiseSettings.NeverMerge -> "collect_list, mode")(spark.sql(sql).collect().toSeq)
      assertEquals(found.map(_.toString), expected.map(_.toString))
    }
}

object MultisetResults {
  private def how(sorts: Boolean): String = if (sorts) "sorted" else "presorted"

  private def partition(sorts: Boolean): String = if (sorts) "PARTITION BY id % 1" else ""

  /** The number of rows that come before the query fails. */
  private def handedOut(data: DataFrame): Long =
    data.rdd
      .mapPartitions { rows =>
        var count = 0L
        try
          while (rows.hasNext) {
            rows.next()
            count += 1
          }
        catch { case _: ArithmeticException => }
        Iterator(count)
      }
      .collect()
      .sum
}
