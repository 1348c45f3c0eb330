package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

import org.slidewise.spark.Slidewise
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.plan.HoppingWindows

/** Which queries the strategy takes, and that their rows are Spark's. */
class HoppingWindowStrategySuite extends HoppingEvents {

  /**
   * Runs the query with and without Slidewise, and with it after Spark has expanded the windows; the number of its hopping
   * operators.
   */
  private def taken(query: => DataFrame): Int = {
    val (on, expanded, expected) = (query, analysedBySpark(query), off(rows(query)))
    assert(expected.nonEmpty, "a query without rows shows nothing")
    for (data <- Seq(on, expanded)) assertEquals(rows(data), expected)
    assertEquals(operators(expanded), operators(on))
    operators(on)
  }

  /** A query whose hopping windows are an `Expand`, as after `Slidewise.install`. */
  private def analysedBySpark(query: => DataFrame): DataFrame =
    withSettings(SlidewiseSettings.HoppingWindows -> "false")(query)

  private def taken(sql: String): Int = taken(spark.sql(sql))

  private def aggregates(plan: LogicalPlan): Seq[Aggregate] = plan.collect { case a: Aggregate => a }

  for (
    (arguments, windows) <- Seq(
      "'1 hour', '7 minutes'" -> HoppingWindows(3600000000L, 420000000L, 0),
      "'1 hour', '10 minutes'" -> HoppingWindows(3600000000L, 600000000L, 0),
      "'1 hour', '7 minutes', '90 seconds'" -> HoppingWindows(3600000000L, 420000000L, 90000000L),
      "'1 hour', '10 minutes', '-11 seconds'" -> HoppingWindows(3600000000L, 600000000L, -11000000L),
      "'5 microseconds', '2 microseconds'" -> HoppingWindows(5, 2, 0),
      "'4 days', '1 day'" -> HoppingWindows(4 * 86400000000L, 86400000000L, 0)
    );
    kind <- Seq("timestamp", "timestamp_ntz")
  )
    test(s"window(t, $arguments) over $kind is recognised as analysed and as optimised") {
      def query = spark.sql(
        s"SELECT w, k + 1, count(x) FROM (SELECT window(cast(t AS $kind), $arguments) AS w, k, x FROM events) GROUP BY w, k + 1"
      )
      val plans = Seq(query, analysedBySpark(query)).flatMap { data =>
        Seq(EliminateSubqueryAliases(data.queryExecution.analyzed), data.queryExecution.optimizedPlan)
      }
      val found = plans.flatMap(aggregates).map(HoppingAggregate.of)
      assertEquals(found.map(_.map(_.map(_.windows))), Seq.fill(4)(Some(Right(windows))))
    }

  private val rules = Seq(
    "ConstantFolding",
    "ColumnPruning",
    "InferFiltersFromConstraints",
    "PushDownPredicates",
    "CollapseProject",
    "SimplifyCasts",
    "RemoveNoopOperators",
    "CombineFilters",
    "PruneFilters",
    "BooleanSimplification",
    "SimplifyConditionals",
    "NullPropagation",
    "ReorderAssociativeOperator"
  ).map("org.apache.spark.sql.catalyst.optimizer." + _)

  for (excluded <- rules.map(Seq(_)) :+ rules)
    test(s"without ${excluded.map(_.split('.').last).mkString(", ")} windows are recognised") {
      withSettings("spark.sql.optimizer.excludedRules" -> excluded.mkString(",")) {
        assertEquals(
          taken(s"SELECT $hour, k + 1, sum(x + 1), max(id) FROM events WHERE x > 1 GROUP BY 1, 2"),
          1
        )
        assertEquals(
          taken(
            s"""SELECT w.end, k, count(*) FROM (SELECT $hour AS w, k, x FROM events)
                WHERE w.start > timestamp'1969-12-31 23:30:00' AND x > 1 GROUP BY w, k HAVING count(*) > 1"""
          ),
          1
        )
      }
    }

  for (
    (what, sql) <- Seq(
      "tumbling windows" -> "SELECT window(t, '1 hour'), count(*) FROM events GROUP BY 1",
      "session windows" -> "SELECT session_window(t, '1 minute'), count(*) FROM events GROUP BY 1",
      "copies by union" ->
        """SELECT s, count(*) FROM (SELECT date_trunc('hour', t) AS s FROM events UNION ALL
           SELECT date_trunc('hour', t) - interval 1 hour FROM events) GROUP BY s""",
      "copies by explode" ->
        "SELECT s, count(*) FROM events LATERAL VIEW explode(array(t, t + interval 1 hour)) AS s GROUP BY s",
      "grouping sets without a window" -> "SELECT k, x, count(*) FROM events GROUP BY CUBE (k, x)",
      "windows that are not grouped by" -> s"SELECT k, count(w.start) FROM (SELECT k, $hour AS w FROM events) GROUP BY k",
      "fields of windows" -> s"SELECT $hour.start, count(*) FROM events GROUP BY $hour.start",
      "a limit between" -> s"SELECT w, count(*) > 0 FROM (SELECT $hour AS w FROM events LIMIT 2000) GROUP BY w",
      "a second aggregation of windows" ->
        s"SELECT w, count(*) FROM (SELECT DISTINCT window(t, '1 hour') AS w, k FROM events) GROUP BY w"
    )
  )
    test(s"$what are Spark's, without a reason") {
      assertEquals(taken(sql), 0)
      assertEquals(
        aggregates(spark.sql(sql).queryExecution.optimizedPlan).flatMap(HoppingAggregate.of(_)),
        Nil
      )
    }

  // Spark 3.5 does not group by such intervals.
  private def unsorted: Seq[(String, String)] =
    if (BuiltFor.MINOR == "3.5") Nil
    else
      Seq(
        s"SELECT $hour, make_interval(0, 0, 0, cast(k AS int)) AS i, count(*) FROM events GROUP BY 1, 2" ->
          "cannot be sorted"
      )

  for (
    (sql, reason) <- Seq(
      s"SELECT w, w2, count(*) FROM (SELECT $hour AS w, $hour AS w2 FROM events) GROUP BY w, w2" -> "a part of the window",
      s"SELECT w, max(w.start) FROM (SELECT $hour AS w FROM events) GROUP BY w" -> "read the window",
      s"SELECT w, count(*) FROM (SELECT $hour AS w, t FROM events) WHERE t > w.start + interval 1 minute GROUP BY w" ->
        "not grouped by",
      s"SELECT w, count(*) FROM (SELECT $hour AS w, x FROM events) WHERE x > 3 OR w.start < timestamp'1970-01-01' GROUP BY w" ->
        "not grouped by",
      s"SELECT $hour, zero, count(*) FROM events GROUP BY ROLLUP ($hour, zero)" -> "expanded twice",
      s"SELECT $hour, count(DISTINCT x), count(DISTINCT k) FROM events GROUP BY 1" -> "expanded twice",
      s"SELECT $hour, count(DISTINCT x) FROM events GROUP BY 1" -> "DISTINCT",
      s"SELECT $hour, round(rand(1)) * 0 AS r, count(*) > 0 FROM events GROUP BY 1, 2" -> "in a way that Slidewise does not know"
    ) ++ unsorted
  )
    test(s"left to Spark, because of $reason: $sql") {
      assertEquals(taken(sql), 0)
      val planner = new HoppingWindowPlanner(spark.sessionState.conf)
      val left = aggregates(spark.sql(sql).queryExecution.optimizedPlan)
        .flatMap(planner.decide(_))
        .flatMap(_.left.toSeq.flatMap(_.reasonToLeave))
      assert(left.exists(_.contains(reason)), left)
    }

  test("a filter of the window with grouping columns is of the group, unless equal values of these differ") {
    def sql(key: String, condition: String) =
      s"""SELECT w, $key, count(*) FROM (SELECT $hour AS w, x, zero FROM events)
          WHERE $condition OR w.start > timestamp'1970-01-01' GROUP BY w, $key"""
    assertEquals(taken(sql("x", "x > 3")), 1)
    assertEquals(taken(sql("zero", "string(zero) = '-0.0'")), 0)
  }

  test("a cached table, as a stage of adaptive execution") {
    spark.table("events").cache().createOrReplaceTempView("cached_events")
    try {
      assertEquals(
        taken(s"SELECT $hour, k, sum(x), count(*) FROM cached_events WHERE id > 3 GROUP BY 1, 2"),
        1
      )
      val hopping = spark.sql(s"SELECT $hour AS w, sum(x) AS s FROM cached_events GROUP BY 1")
      val expected = rows(hopping)
      hopping.cache()
      try assertEquals(rows(hopping.select("w", "s")), expected)
      finally hopping.unpersist()
    } finally spark.table("cached_events").unpersist()
  }

  test("rows that are shuffled before, in adaptive execution") {
    for (
      source <- Seq(
        "(SELECT DISTINCT t, k, x FROM events)",
        "(SELECT /*+ REPARTITION(3, k) */ * FROM events)",
        "(SELECT a.t, b.k, b.x FROM events AS a JOIN events AS b ON a.id = b.id + 1)"
      )
    )
      assertEquals(taken(s"SELECT $hour, k, sum(x), count(*) FROM $source GROUP BY 1, 2"), 1, source)
  }

  for (
    (key, value) <- Seq(
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN",
      "spark.sql.ansi.enabled" -> "false",
      "spark.sql.execution.useObjectHashAggregateExec" -> "false",
      "spark.sql.execution.replaceHashWithSortAgg" -> "true"
    )
  )
    test(s"$key = $value: the same rows") {
      withSettings(key -> value) {
        val calls = "count(*), sum(x), max(x), avg(x), sort_array(collect_set(x)), approx_count_distinct(x)"
        assertEquals(taken(s"SELECT $hour, k, $calls FROM events GROUP BY 1, 2"), 1)
      }
    }

  test("subqueries in filters, in HAVING and in results") {
    assertEquals(
      taken(
        s"""SELECT w.start, k, count(*) + (SELECT max(id) FROM events)
            FROM (SELECT $hour AS w, k, x FROM events WHERE x IN (SELECT 2 UNION ALL SELECT 3))
            WHERE w.start > (SELECT min(t) FROM events) GROUP BY w, k HAVING count(*) > (SELECT 1)"""
      ),
      1
    )
  }

  test("subqueries in the inputs and filters of functions") {
    val id = "(SELECT max(id) FROM events)"
    for (
      call <- Seq(
        s"sum(x + $id)",
        s"count(*) FILTER (WHERE x > (SELECT min(x) FROM events))",
        s"max_by(x, id + $id)",
        s"percentile(x + $id, 0.5)",
        s"sort_array(collect_list(x + $id))",
        s"approx_count_distinct(x + $id)"
      )
    )
      assertEquals(taken(s"SELECT $hour, k, min(x), $call, max(x) FROM events GROUP BY 1, 2"), 1, call)
  }

  test("results that are not deterministic are initialized in each task") {
    assertEquals(
      taken(
        s"SELECT $hour.start, k, rand(7) < 2, spark_partition_id() < 9 FROM events GROUP BY $hour, k"
      ),
      1
    )
  }

  test("one row for each window of a LIMIT, and tasks that stop early") {
    assertEquals(
      taken(s"SELECT w FROM (SELECT $hour AS w, count(*) FROM events GROUP BY 1 ORDER BY 1 LIMIT 3)"),
      1
    )
    val limited = spark.sql(s"SELECT $hour, k, count(*) FROM events GROUP BY 1, 2 LIMIT 4")
    assertEquals((limited.collect().length, operators(limited)), (4, 1))
  }

  test("install in a running session adds the strategy and the rule") {
    val session = spark.newSession()
    session.experimental.extraStrategies = Nil
    session.experimental.extraOptimizations = Nil
    Slidewise.install(session)
    assert(session.sessionState.planner.strategies.contains(HoppingWindowStrategy))
    assert(session.experimental.extraOptimizations.contains(EstimateHoppingWindows))
  }

  test(s"${SlidewiseSettings.Enabled} = false leaves the windows to Spark") {
    withSettings(SlidewiseSettings.Enabled -> "false") {
      assertEquals(operators(spark.sql(s"SELECT $hour, count(*) FROM events GROUP BY 1")), 0)
    }
  }
}
