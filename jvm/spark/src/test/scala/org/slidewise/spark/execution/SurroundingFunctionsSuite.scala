package org.slidewise.spark.execution

import scala.util.Random

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.surroundings.PartialAggregate
import org.slidewise.spark.plan.EvaluationMethod
import org.slidewise.spark.planning.parallel.AcrossTasks

/** What several tasks need of the rows of others, when they must not share a partition, and values at the ends of their types. */
class SurroundingFunctionsSuite extends SparkSuite {
  private val inMemory = CutWindow.Strategy("sorted in memory", sorts = true)

  private def window(columns: String*)(from: String): CutWindow = ordered("id", columns)(from)

  private def ordered(order: String, columns: Seq[String])(from: String): CutWindow = {
    val calls = columns.zipWithIndex.map { case (call, i) =>
      val (function, frame) = call.span(_ != ':')
      s"$function OVER (ORDER BY $order ${frame.drop(1)}) AS c$i"
    }
    new CutWindow(
      spark,
      spark.sql(s"SELECT id, ${calls.mkString(", ")} FROM $from"),
      divides = true,
      reach = 5
    )
  }

  private val numbers =
    "(SELECT id, id % 7 AS v, id / 3.0D AS x, cast(id AS string) AS s FROM range(0, 40, 1, 1))"
  private val Growing = "ROWS UNBOUNDED PRECEDING"
  private val Moving = "ROWS 5 PRECEDING"
  private val Shrinking = "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"

  private def check(window: CutWindow): Unit =
    for (seed <- 0 until 4)
      assertEquals(window.cut(new Random(seed), inMemory, pieces = 4), window.expected)

  test("the number of rows is enough for ranks by rows, and nothing is needed for moving frames") {
    val functions = window(
      "row_number()",
      "rank()",
      "percent_rank()",
      "cume_dist()",
      "ntile(3)",
      "lag(v)",
      s"count(*):$Growing",
      s"count(id):$Shrinking",
      s"sum(v):$Moving",
      s"collect_list(v):$Moving",
      s"last_value(v):$Growing",
      s"first_value(s):$Shrinking"
    )(numbers).functions
    assert(
      functions.unbounded.needOnlyCounts && !functions.unbounded.needOrder && !functions.unbounded.needPeerGroups
    )
    assertEquals(functions.aggregator().result().rows, 0L)
  }

  for (
    (call, needsOrder) <- Seq(
      s"sum(v):$Growing" -> false,
      s"count(nullif(v, 3)):$Growing" -> false,
      s"avg(x):$Shrinking" -> false,
      s"min(s):$Growing" -> false,
      s"stddev(x):$Growing" -> false,
      s"approx_count_distinct(v):$Shrinking" -> false,
      s"geomean(x):$Growing" -> false,
      s"first_value(v):$Growing" -> true,
      s"last_value(v):$Shrinking" -> true,
      s"max_by(s, v):$Growing" -> true,
      s"ewma(x, 0.5D):$Growing" -> true,
      s"nth_value(s, 2):$Growing" -> true,
      "lag(v) IGNORE NULLS" -> true,
      "lead(v, 2) IGNORE NULLS" -> true
    )
  )
    test(s"$call needs the aggregates of surrounding rows, in order: $needsOrder") {
      val functions = window(call)(numbers).functions
      assert(!functions.unbounded.needOnlyCounts && !functions.unbounded.needPeerGroups)
      assertEquals(functions.unbounded.needOrder, needsOrder)
    }

  test("dense_rank needs the groups of rows that tie") {
    val found = window("dense_rank()")(numbers)
    assert(
      !found.functions.unbounded.needOnlyCounts && found.functions.unbounded.needOrder && found.functions.unbounded.needPeerGroups
    )
    assertEquals((found.total().rows, found.total().peerGroups), (40L, 40L))
    assertEquals(ordered("v DIV 4, v", Seq("dense_rank()"))(numbers).total().peerGroups, 7L)
  }

  private def mustBeOneTask(call: String, value: String): Boolean = {
    val found = window(call)(s"(SELECT id, $value AS v FROM range(0, 40, 1, 1))")
    found.functions.mustBeOneTask(found.totalAsTheyCome())
  }

  for (
    (call, value, expected) <- Seq(
      (s"sum(v):$Growing", "id", false),
      (s"sum(v):$Growing", s"if(id = 20, ${1L << 62}, id)", true),
      (s"sum(v):$Growing", s"if(id % 2 = 0, ${Long.MaxValue}, -${Long.MaxValue})", true),
      (s"sum(v):$Shrinking", s"${Long.MaxValue}", true), // aggregating the rows fails
      (s"try_sum(v):$Growing", s"if(id = 20, ${1L << 62}, id)", true),
      (s"sum(v):$Moving", s"${1L << 60}", false),
      (s"max(v):$Growing", s"${Long.MaxValue}", false),
      (s"sum(v):$Growing", s"if(id = 20, ${1L << 62}, id) + 0.0D", false),
      (s"percentile_approx(v, 0.5):$Growing", "id + 0.5D", false),
      (s"percentile_approx(v, 0.5):$Growing", "if(id = 9, double('NaN'), id + 0.5D)", true)
    )
  )
    test(s"$call of $value must be evaluated in one task: $expected") {
      assertEquals(mustBeOneTask(call, value), expected)
    }

  test("ranks beyond what an int holds are evaluated in one task, which fails as Spark does") {
    val functions = window("row_number()", s"sum(v):$Growing")(numbers).functions
    assert(!functions.mustBeOneTask(PartialAggregate.ofRows(Int.MaxValue.toLong)))
    assert(functions.mustBeOneTask(PartialAggregate.ofRows(Int.MaxValue + 1L)))
  }

  test("aggregates that failed stay failed when they are combined") {
    val functions = window(s"sum(v):$Growing")(numbers).functions
    val failed = PartialAggregate(3L, 0L, failed = true)
    val right = window(s"sum(v):$Growing")(numbers).total()
    assert(functions.mustBeOneTask(functions.combine(failed, right)))
    assert(functions.mustBeOneTask(functions.combine(right, failed)))
    assert(!functions.mustBeOneTask(functions.combine(right, PartialAggregate.None)))
  }

  test("partial sums of decimals keep digits that their type does not have") {
    // The first sums are larger than a decimal(38, 2), the last one is not.
    val value = s"if(id < 20, 1, -1) * cast('${"9" * 35}' AS decimal(38, 2))"
    check(
      window("sum(v):ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")(
        s"(SELECT id, $value AS v FROM range(0, 40, 1, 1))"
      )
    )
  }

  private def check(window: CutWindow, from: Int, firstResult: Int): Unit =
    assertEquals(
      window.evaluateFrom(from, firstResult, firstResult + 10),
      window.expected.slice(from + firstResult, from + firstResult + 10)
    )

  for (sort <- Seq(true, false)) {
    def having(body: => Unit): Unit = {
      spark.conf.set(SlidewiseSettings.Sort, sort.toString)
      try body
      finally spark.conf.unset(SlidewiseSettings.Sort)
    }

    test(s"a sum over a frame that lacks rows in one task fails no query, arrays $sort") {
      having {
        // No frame starts at 17, from which on a frame overflows.
        val value =
          s"CASE id WHEN 16 THEN -${Long.MaxValue} WHEN 17 THEN ${Long.MaxValue} WHEN 18 THEN 9 ELSE 0 END"
        val rows = s"(SELECT id, if(id <= 20, id, id + 3) AS t, $value AS v FROM range(0, 40, 1, 1))"
        check(ordered("t", Seq("sum(v):RANGE 5 PRECEDING"))(rows), from = 17, firstResult = 4)
      }
    }

    test(s"a sum of decimals over a frame that lacks rows in one task fails no query, arrays $sort") {
      having {
        val one = s"cast('8${"0" * 35}' AS decimal(38, 2))"
        val value =
          s"CASE id WHEN 17 THEN -$one WHEN 18 THEN $one WHEN 19 THEN $one WHEN 23 THEN -$one ELSE 0 END"
        val rows = s"(SELECT id, $value AS v FROM range(0, 40, 1, 1))"
        check(window(s"sum(v):$Moving", "count(v)")(rows), from = 18, firstResult = 5)
      }
    }
  }

  for (
    (call, reason) <- Seq(
      s"nth_value(v, 2000):$Growing" -> "nth_value",
      s"count(DISTINCT v):$Growing" -> "count",
      s"median(v):$Growing" -> "percentile",
      s"mode(v):$Growing" -> "mode",
      s"collect_list(v):$Growing" -> "collect_list",
      s"collect_set(v):$Shrinking" -> "collect_set",
      s"approx_count_if(v > 3, 0.1D):$Moving" -> "summary"
    )
  )
    test(s"$call is evaluated in one task, with the reason") {
      val found = AcrossTasks.reasonNot(window(call)(numbers).plan)
      assert(found.exists(_.contains(reason)), found)
    }

  for (call <- Seq("nth_value(v, 2000)", "count(DISTINCT v)", "median(v)", "mode(v)", "collect_list(v)"))
    test(s"$call over a moving frame is evaluated in several tasks") {
      assertEquals(AcrossTasks.reasonNot(window(s"$call:$Moving")(numbers).plan), None)
    }

  for (
    (call, inArrays) <- Seq(
      s"stddev(x):$Growing" -> false,
      s"stddev(x):$Moving" -> true,
      s"first_value(v):$Growing" -> true,
      s"first_value(v):$Shrinking" -> true,
      s"last_value(v):$Growing" -> true,
      s"last_value(v):$Shrinking" -> true,
      s"nth_value(v, 2):$Growing" -> false,
      "lag(v) IGNORE NULLS" -> false,
      "lead(v, 3)" -> true,
      s"sum(v):$Growing" -> true,
      "ntile(4)" -> true
    )
  )
    test(s"for several tasks, $call is evaluated in arrays: $inArrays") {
      assertEquals(
        window(call)(numbers).plan.methods.contains(EvaluationMethod.ArrayKernels),
        inArrays
      )
    }
}
