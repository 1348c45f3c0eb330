package org.slidewise.spark.planning

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.WindowExpression
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

import org.slidewise.OneOf
import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.expressions.{DistinctAggregate, OverAnyFrame}
import org.slidewise.spark.shims.SparkErrors

/** Aggregates over windows that Spark alone refuses, compared with Spark's GROUP BY of the rows of each frame. */
class RewriteWindowAggregatesSuite extends SparkSuite {
  private val since40 = BuiltFor.MINOR != "3.5"

  /** Values of each type with duplicates, nulls, and equal values of unequal bytes. */
  private val Table =
    "(SELECT id AS i, if(id % 7 = 3, NULL, id % 4) AS n, cast(id % 3 AS string) AS s, encode(cast(id % 3 AS string), 'UTF-8') AS b, " +
      "cast(id % 5 AS decimal(38, 4)) AS m, id % 2 = 0 AS even, substr('aAbB', cast(1 + id % 4 AS int), 1) AS w, " +
      "element_at(array(-0.0D, 0.0D, double('NaN'), NULL), 1 + cast(id * 5 % 4 AS int)) AS d, " +
      "make_interval(0, 0, 0, cast(id % 2 AS int)) AS c FROM range(25))"

  private def rows(data: DataFrame): Seq[String] = data.collect().toSeq.map((row: Row) => row.toString)

  /** Analyzes while Slidewise is on, and plans while it is off, so that Spark's operator evaluates the call. */
  private def inSparksOperator(sql: String): Seq[String] = {
    val data = spark.sql(sql)
    withSettings(SlidewiseSettings.Enabled -> "false") {
      assert(!data.queryExecution.executedPlan.toString.contains("SlidingWindow"))
      rows(data)
    }
  }

  private def functions(plan: LogicalPlan): Seq[AggregateFunction] = plan
    .collect { case window: Window => window.windowExpressions }
    .flatten
    .flatMap(_.collect { case WindowExpression(call: AggregateExpression, _) => call.aggregateFunction })

  /** A `@` is where OVER belongs, if that is not the end. */
  private val calls = Seq(
    "count(DISTINCT n)",
    "count(DISTINCT n, s)",
    "count(DISTINCT n, 1)",
    "count(DISTINCT 1)",
    "sum(DISTINCT n)",
    "sum(DISTINCT m)",
    "avg(DISTINCT m)",
    "count(DISTINCT b)",
    "count(DISTINCT d)",
    "count(DISTINCT named_struct('d', d, 's', s))",
    "count(DISTINCT array(d, 1D))",
    "count(DISTINCT array(named_struct('d', d)))",
    "array_sort(collect_list(DISTINCT d) @)",
    "array_sort(collect_set(DISTINCT n) @)",
    "min(DISTINCT n)",
    "max(DISTINCT s)",
    "bool_or(DISTINCT n > 2)",
    "count_if(DISTINCT n > 1)",
    "bit_xor(DISTINCT n)",
    "round(stddev(DISTINCT n) @, 9)",
    "round(corr(DISTINCT n, i % 5) @, 9)",
    "median(DISTINCT n)",
    "percentile(DISTINCT n, array(0.25, 0.5))",
    "percentile_approx(DISTINCT n, 0.5)",
    "approx_count_distinct(DISTINCT n)",
    "median(n)",
    "median(d)",
    "percentile_cont(0.25) WITHIN GROUP (ORDER BY n DESC)",
    "percentile_disc(0.25) WITHIN GROUP (ORDER BY n)"
  ) ++ (if (since40)
          Seq(
            "count(DISTINCT c)",
            "count(DISTINCT w COLLATE UTF8_LCASE)",
            "count(DISTINCT named_struct('w', w COLLATE UNICODE_CI), n)",
            "count(DISTINCT array(w COLLATE UNICODE_CI, NULL))",
            "count(DISTINCT map('k', array(map(s, b))))",
            "listagg(DISTINCT s) WITHIN GROUP (ORDER BY s DESC)"
          )
        else Nil)

  private val frames = Seq(
    "ROWS 6 PRECEDING" -> "i BETWEEN at - 6 AND at",
    "RANGE BETWEEN 3 PRECEDING AND 2 FOLLOWING" -> "i BETWEEN at - 3 AND at + 2",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW" -> "i <= at",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING" -> "i >= at",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING" -> "true"
  )

  private val one = new OneOf(6)

  for (call <- calls)
    test(
      one(s"${call.replace(" @", "")} over frames returns what GROUP BY returns for the rows of each frame")
    ) {
      val columns = frames.map { case (frame, _) =>
        (if (call.contains("@")) call else s"$call @").replace("@", s"OVER (ORDER BY i $frame)")
      }
      val sql = s"SELECT i, array(${columns.mkString(", ")}) FROM $Table ORDER BY i"
      val data = spark.sql(sql)
      assert(data.queryExecution.executedPlan.toString.contains("SlidingWindow"))
      val found = rows(data)
      assertEquals(inSparksOperator(sql), found)
      withSettings("spark.sql.codegen.factoryMode" -> "NO_CODEGEN")(assertEquals(rows(spark.sql(sql)), found))
      val conditions = frames.zipWithIndex.map { case ((_, condition), f) => s"frame = $f AND $condition" }
      val groups =
        s"SELECT at, frame, ${call.replace("@", "")} AS answer FROM (SELECT id AS at FROM range(25)) " +
          s"CROSS JOIN (SELECT explode(sequence(0, ${frames.size - 1})) AS frame) JOIN $Table " +
          s"ON ${conditions.mkString(" OR ")} GROUP BY at, frame"
      val ofGroups = spark.sql(
        s"SELECT at, transform(array_sort(collect_list(struct(frame, array(answer) AS answers))), r -> r.answers[0]) " +
          s"FROM ($groups) GROUP BY at ORDER BY at"
      )
      assertEquals(found, rows(ofGroups))
    }

  test("maps are equal whatever the order of their entries, and a null in a map is not zero") {
    assume(since40, "no GROUP BY of maps")
    val reordered = "if(even, map(s, 1, 'z', 0), map('z', 0, s, 1))"
    val calls = Seq(reordered, "map('k', n)").map(map => s"count(DISTINCT $map) OVER ()")
    // Not compared with GROUP BY, which Spark 4.0 does by the order of the entries, and code for 4.3 takes null for zero.
    assertEquals(rows(spark.sql(s"SELECT DISTINCT ${calls.mkString(", ")} FROM $Table")), Seq("[3,5]"))
  }

  test("an empty frame") {
    val empty = "OVER (ORDER BY i ROWS BETWEEN 90 PRECEDING AND 80 PRECEDING)"
    val found = rows(
      spark.sql(s"SELECT count(DISTINCT n) $empty, sum(DISTINCT n) $empty, median(n) $empty FROM $Table")
    )
    assertEquals(found.distinct, Seq("[0,null,null]"))
  }

  test("the names of columns are those that Spark gives in GROUP BY") {
    for (call <- Seq("max(DISTINCT n)", "count(DISTINCT n, s)", "median(DISTINCT n)", "median(n)")) {
      val named = spark.sql(s"SELECT $call FROM $Table").columns.head
      val windowed = spark.sql(s"SELECT $call OVER (ORDER BY i ROWS 1 PRECEDING) FROM $Table").columns.head
      assertEquals(windowed.takeWhile(_ != 'O').trim, named)
    }
  }

  private def rewritten(call: String, window: String = "ORDER BY i"): Seq[AggregateFunction] =
    functions(spark.sql(s"SELECT $call OVER ($window) FROM $Table").queryExecution.analyzed)

  test(
    "only calls that Spark refuses are rewritten, and DISTINCT is dropped where duplicates change nothing"
  ) {
    assert(rewritten("count(DISTINCT n)").forall(_.isInstanceOf[DistinctAggregate]))
    assert(rewritten("max(DISTINCT n)").forall(_.isInstanceOf[Max]))
    assert(rewritten("first(DISTINCT n)").forall(_.isInstanceOf[First]))
    assert(rewritten("every(DISTINCT even)").forall(_.isInstanceOf[BoolAnd]))
    assert(rewritten("median(n)").forall(_.isInstanceOf[OverAnyFrame]))
    assert(rewritten("median(n)", "ORDER BY i ROWS 2 PRECEDING").forall(_.isInstanceOf[OverAnyFrame]))
    assert(rewritten("median(n)", "PARTITION BY s").forall(_.isInstanceOf[Median]))
    assert(rewritten("count(n)").forall(_.isInstanceOf[Count]))
    val optimized = spark.sql(s"SELECT median(n) OVER (ORDER BY i) FROM $Table").queryExecution.optimizedPlan
    assert(functions(optimized).forall(_.isInstanceOf[Percentile]))
  }

  test("equal calls are evaluated once") {
    val same =
      s"SELECT count(DISTINCT n) OVER w AS a, count(DISTINCT n) OVER w AS b FROM $Table WINDOW w AS (ORDER BY i)"
    assert(rewritten("count(DISTINCT n)").map(_.canonicalized).toSet.size == 1)
    val plans = Seq.fill(2)(spark.sql(same).queryExecution.analyzed)
    assert(plans.head.sameResult(plans.last))
  }

  private def refusal(call: String): String = SparkErrors.conditionOf(
    intercept[AnalysisException](spark.sql(s"SELECT $call OVER (ORDER BY i ROWS 2 PRECEDING) FROM $Table"))
  )

  test("while Slidewise is off Spark refuses the calls") {
    withSettings(SlidewiseSettings.Enabled -> "false") {
      assertEquals(refusal("count(DISTINCT n)"), "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED")
      assertEquals(refusal("max(DISTINCT n)"), "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED")
      val ofOrders = Seq("percentile_cont(0.9)", "percentile_disc(0.1)").map(_ + " WITHIN GROUP (ORDER BY n)")
      for (call <- "median(n)" +: ofOrders)
        assertEquals(refusal(call), "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC", call)
    }
  }

  test("functions of the order of the rows, and types that cannot be grouped, have no DISTINCT") {
    assertEquals(refusal("ewma(DISTINCT n, 0.5)"), "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED")
    if (since40) {
      assertEquals(refusal("count(DISTINCT parse_json(s))"), "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED")
      assertEquals(
        refusal("listagg(DISTINCT s) WITHIN GROUP (ORDER BY i)"),
        "INVALID_WITHIN_GROUP_EXPRESSION.MISMATCH_WITH_DISTINCT_INPUT"
      )
    } else assertEquals(refusal("count(DISTINCT map(s, n))"), "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED")
  }
}
