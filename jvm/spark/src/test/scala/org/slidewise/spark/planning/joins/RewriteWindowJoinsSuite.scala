package org.slidewise.spark.planning.joins

import scala.util.Try

import org.apache.spark.sql.{functions => F, Encoders}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.slidewise.spark.{Gcd, SparkSuite}
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.plan.{LeftToSpark, WindowJoin}

/** Which subqueries over another table become window joins, and why others do not. */
class RewriteWindowJoinsSuite extends SparkSuite {
  private lazy val tables: Unit = {
    spark.range(9).selectExpr("id", "id % 3 AS k", "id * 2 AS ts", "id AS lo").createOrReplaceTempView("l")
    spark
      .range(20)
      .selectExpr("id % 3 AS k", "id AS ts", "id % 5 AS v", "id % 2 AS s")
      .createOrReplaceTempView("e")
  }

  private def planOf(sql: String): LogicalPlan = {
    tables
    spark.sql(sql).queryExecution.normalized
  }

  private def joins(plan: LogicalPlan): Seq[WindowJoin] = plan.collectWithSubqueries {
    case join: WindowJoin => join
  }

  private def reasons(plan: LogicalPlan): Seq[String] =
    plan.collectWithSubqueries { case node =>
      node.getTagValue(LeftToSpark.Tag).getOrElse(Nil).map(_.reason)
    }.flatten

  private val range = "e.k = l.k AND e.ts >= l.ts - 5 AND e.ts < l.ts"
  private def lateral(query: String): String = s"SELECT * FROM l LEFT JOIN LATERAL ($query) f ON true"

  test("a join of many rows with GROUP BY is left to Spark if the other table is tiny, by a setting") {
    val many = "(SELECT id, id % 3 AS k, id AS ts FROM range(1000000))"
    val sql = s"SELECT l.id, sum(e.v) FROM $many l LEFT JOIN e ON $range GROUP BY l.id, l.k, l.ts"
    assert(
      reasons(planOf(sql)).exists(_.contains("Spark broadcasts the other table, which has ")),
      planOf(sql)
    )
    for (
      setting <- Seq(
        SlidewiseSettings.WindowJoinMinSize -> "0",
        "spark.sql.autoBroadcastJoinThreshold" -> "-1"
      )
    )
      withSettings(setting)(assertEquals(joins(planOf(sql)).size, 1))
    assertEquals(joins(planOf(sql.replace("1000000", "100000"))).size, 1)
    assertEquals(
      joins(planOf(s"SELECT l.id, f.* FROM $many l, LATERAL (SELECT sum(v) FROM e WHERE $range) f")).size,
      1
    )
  }

  for (
    (what, sql, operators) <- Seq(
      ("LATERAL", lateral(s"SELECT sum(v), count(*) FROM e WHERE $range"), 1),
      ("comma LATERAL", s"SELECT * FROM l, LATERAL (SELECT sum(v) FROM e WHERE $range) f", 1),
      ("the newest row", lateral(s"SELECT v FROM e WHERE $range ORDER BY ts DESC LIMIT 1"), 1),
      ("a scalar subquery", s"SELECT id, (SELECT sum(v) FROM e WHERE $range) FROM l", 1),
      (
        "scalar subqueries of one table and keys",
        s"SELECT (SELECT sum(v) FROM e WHERE $range), (SELECT max(v) FROM e WHERE e.k = l.k AND e.ts > l.ts) + 1 FROM l",
        1
      ),
      (
        "scalar subqueries of other keys",
        s"SELECT (SELECT sum(v) FROM e WHERE $range), (SELECT max(v) FROM e WHERE e.s = l.k AND e.ts > l.ts) FROM l",
        2
      ),
      (
        "scalar subqueries of other rows",
        s"SELECT (SELECT sum(v) FROM e WHERE $range), (SELECT max(v) FROM e WHERE $range AND e.v > 2) FROM l",
        1
      ),
      (
        "scalar subqueries of other rows, whose key a condition guards",
        s"SELECT (SELECT sum(v) FROM e WHERE 1 div e.k = l.k AND e.ts < l.ts AND e.k > 0), (SELECT max(v) FROM e WHERE 1 div e.k = l.k AND e.ts < l.ts AND e.k > 1) FROM l",
        2
      ),
      (
        "newest rows that other conditions select",
        s"SELECT (SELECT v FROM e WHERE $range ORDER BY ts DESC LIMIT 1), (SELECT v FROM e WHERE $range AND e.v > 2 ORDER BY ts DESC LIMIT 1) FROM l",
        2
      ),
      (
        "newest rows in orders of which one begins with the other",
        s"SELECT (SELECT v FROM e WHERE $range ORDER BY ts DESC LIMIT 1), (SELECT s FROM e WHERE $range ORDER BY ts DESC, v LIMIT 1) FROM l",
        1
      ),
      (
        "newest rows in two orders",
        s"SELECT (SELECT v FROM e WHERE $range ORDER BY ts DESC, s LIMIT 1), (SELECT s FROM e WHERE $range ORDER BY ts DESC, v LIMIT 1) FROM l",
        2
      ),
      ("HAVING", lateral(s"SELECT sum(v) FROM e WHERE $range HAVING count(*) > 1"), 1),
      (
        "a filter of the newest row",
        lateral(s"SELECT v FROM (SELECT v FROM e WHERE $range ORDER BY ts DESC LIMIT 1) WHERE v > 2"),
        1
      ),
      (
        "GROUP BY with aggregates of left columns",
        s"SELECT l.id, first(l.k), max(l.ts), count(l.id), sum(l.ts) FILTER (WHERE e.v > 2), sum(e.v) FILTER (WHERE l.k = 1) FROM l LEFT JOIN e ON $range GROUP BY l.id, l.k, l.ts",
        1
      ),
      (
        "LATERAL after one another",
        s"SELECT * FROM l, LATERAL (SELECT sum(v) FROM e WHERE $range) f, LATERAL (SELECT max(v) FROM e WHERE e.k = l.k AND e.ts > l.ts) g",
        1
      ),
      (
        "a bound that is a result",
        s"SELECT * FROM l, LATERAL (SELECT sum(v) s FROM e WHERE $range) f, LATERAL (SELECT max(v) FROM e WHERE e.k = l.k AND e.ts > f.s) g",
        2
      ),
      ("two lower bounds", lateral(s"SELECT sum(v) FROM e WHERE $range AND e.ts > l.lo"), 1),
      (
        "LEFT JOIN with a condition",
        s"SELECT * FROM l LEFT JOIN LATERAL (SELECT sum(v) s FROM e WHERE $range) f ON f.s > 3",
        1
      ),
      ("a scalar subquery in WHERE", s"SELECT id FROM l WHERE (SELECT sum(v) FROM e WHERE $range) > 3", 1),
      (
        "BETWEEN two columns",
        "SELECT (SELECT sum(v) FROM e WHERE e.k = l.k AND e.ts BETWEEN l.lo AND l.ts) FROM l",
        1
      ),
      (
        "a time that one bound compares as a wider number",
        "SELECT (SELECT sum(v) FROM e WHERE e.k = l.k AND e.ts > cast(l.ts AS decimal(20, 0)) - 5 AND e.ts <= l.ts) FROM l",
        1
      ),
      ("no keys", "SELECT (SELECT sum(v) FROM e WHERE e.ts < l.ts) FROM l", 1),
      ("a null-safe key", "SELECT (SELECT sum(v) FROM e WHERE e.k <=> l.k AND e.ts < l.ts) FROM l", 1),
      (
        "a projected table",
        lateral("SELECT sum(w) FROM (SELECT v * 2 AS w, k, ts + 1 AS ts FROM e) e WHERE " + range),
        1
      ),
      (
        "an uncorrelated subquery around",
        s"SELECT (SELECT max(f.s) FROM l, LATERAL (SELECT sum(v) s FROM e WHERE $range) f)",
        1
      ),
      (
        "a CTE",
        s"WITH q AS (SELECT id, (SELECT sum(v) s FROM e WHERE $range) s FROM l) SELECT * FROM q a JOIN q b ON a.id = b.id",
        1
      )
    )
  )
    test(s"rewritten: $what") {
      assumeAllowed(sql)
      val plan = planOf(sql)
      assertEquals(joins(plan).size, operators, plan)
      assertEquals(reasons(plan), Nil)
    }

  for (
    (what, sql, reason) <- Seq(
      (
        "GROUP BY",
        lateral(s"SELECT s, sum(v) FROM e WHERE $range GROUP BY s"),
        "GROUP BY e.s may return several rows"
      ),
      (
        "an aggregate of both tables",
        s"SELECT l.id, sum(e.v * l.k) FROM l JOIN e ON $range GROUP BY l.id, l.k, l.ts",
        "aggregates values of both tables"
      ),
      (
        "an aggregate of a left column that is not grouped",
        s"SELECT l.id, max(l.lo) FROM l JOIN e ON $range GROUP BY l.id, l.k, l.ts",
        "aggregates l.lo, which GROUP BY lacks"
      ),
      (
        "all rows",
        lateral(s"SELECT v FROM e WHERE $range"),
        "the subquery is neither an aggregate nor the first row in an order"
      ),
      (
        "two rows",
        lateral(s"SELECT v FROM e WHERE $range ORDER BY ts LIMIT 2"),
        "LIMIT 2 may return several rows, or none"
      ),
      ("a row in no order", lateral(s"SELECT v FROM e WHERE $range LIMIT 1"), "returns one row in no order"),
      (
        "a row in another order",
        lateral(s"SELECT v FROM e WHERE $range ORDER BY v LIMIT 1"),
        "are not in the order of"
      ),
      (
        "a condition that compares by <>",
        lateral(s"SELECT sum(v) FROM e WHERE $range AND e.v <> l.id"),
        "is neither an equality nor"
      ),
      (
        "OR",
        lateral(s"SELECT sum(v) FROM e WHERE $range AND (e.v > l.id OR e.v = 1)"),
        "is neither an equality nor"
      ),
      (
        "a condition on both tables in one side",
        lateral(s"SELECT sum(v) FROM e WHERE $range AND e.ts * l.id > 3"),
        "cannot be solved for a column of the other table"
      ),
      (
        "ranges of two columns",
        lateral(s"SELECT sum(v) FROM e WHERE $range AND e.v < l.id"),
        "limit several expressions"
      ),
      (
        "two lower bounds, of which one may fail",
        lateral(s"SELECT sum(v) FROM e WHERE $range AND e.ts > 9 div l.lo"),
        "on the same side by values that may fail"
      ),
      (
        "EXISTS",
        s"SELECT id FROM l WHERE EXISTS (SELECT 1 FROM e WHERE $range)",
        "write (SELECT count(*) FROM …) > 0 instead"
      ),
      (
        "NOT IN",
        s"SELECT id FROM l WHERE l.id NOT IN (SELECT e.v FROM e WHERE $range)",
        "IN is a join in Spark"
      ),
      (
        "a subquery within an aggregate",
        s"SELECT sum((SELECT count(*) FROM e WHERE $range)) FROM l",
        "compute it in SELECT of a subquery in FROM"
      ),
      (
        "ROLLUP",
        s"SELECT l.id, l.k, l.ts, sum(e.v) FROM l JOIN e ON $range GROUP BY ROLLUP (l.id, l.k, l.ts)",
        "and roll up its rows"
      ),
      (
        "GROUP BY without a column of the conditions",
        s"SELECT l.id, sum(e.v) FROM l JOIN e ON $range GROUP BY l.id",
        "GROUP BY has no l.k, l.ts, which the rows of a group may differ in; add it to GROUP BY"
      )
    )
  )
    test(s"left to Spark: $what") {
      assumeAllowed(sql)
      val plan = planOf(sql)
      assertEquals(joins(plan), Nil, plan)
      assert(reasons(plan).exists(_.contains(reason)), reasons(plan))
    }

  test("left to Spark: no range, another correlated subquery around, and the settings") {
    for (
      sql <- Seq(
        "SELECT (SELECT sum(v) FROM e WHERE e.k = l.k) FROM l",
        s"SELECT id, (SELECT max(f.s) FROM l m, LATERAL (SELECT sum(v) s FROM e WHERE e.k = m.k AND e.ts < m.ts) f WHERE m.k = l.k) FROM l"
      )
    ) assertEquals(joins(planOf(sql)), Nil, sql)
    val window = s"SELECT id, (SELECT sum(v) FROM e WHERE $range) FROM l"
    for (setting <- Seq(SlidewiseSettings.Enabled, SlidewiseSettings.WindowJoins))
      withSettings(setting -> "false")(assertEquals(joins(planOf(window)), Nil, setting))
  }

  test("streams are left to Spark, whichever side they are on") {
    tables
    spark.readStream
      .format("rate")
      .load()
      .selectExpr("value AS k", "value AS ts", "value AS v", "value AS id")
      .createOrReplaceTempView("r")
    for (
      sql <- Seq(
        "SELECT (SELECT sum(v) FROM e WHERE e.k = r.k AND e.ts < r.ts) FROM r",
        "SELECT (SELECT sum(v) FROM r WHERE r.k = l.k AND r.ts < l.ts) FROM l",
        "SELECT * FROM l, LATERAL (SELECT sum(v) FROM r WHERE r.k = l.k AND r.ts < l.ts)"
      )
    ) {
      // Spark refuses streams in subqueries since some minor.
      val plan = Try(spark.sql(sql).queryExecution.analyzed)
      plan.foreach(analyzed => assertEquals(joins(RewriteWindowJoins(analyzed)), Nil, sql))
    }
  }

  test(
    "a self join, a view with aliases on both sides, and filters on the left rows, which are pushed below"
  ) {
    assume(BuiltFor.MINOR != "3.5")
    tables
    spark.sql("SELECT k + 1 AS k, ts * 2 AS ts, v FROM e").createOrReplaceTempView("w")
    for (table <- Seq("e", "w")) {
      val sql =
        s"SELECT ts, f.s, f.n FROM $table l, LATERAL (SELECT sum(v) s, count(*) n FROM $table e WHERE $range) f WHERE l.k = 2"
      val plan = spark.sql(sql).queryExecution.optimizedPlan
      assertEquals(joins(plan).size, 1)
      assert(joins(plan).head.left.toString.contains("= 2)"), plan)
      val answers = Seq("true", "false").map(on =>
        withSettings(SlidewiseSettings.Enabled -> on)(spark.sql(sql).collect().map(_.toString).sorted.toSeq)
      )
      assertEquals(answers.head, answers.last)
    }
  }

  test("users' aggregators, with and without rows") {
    tables
    spark.udf.register("gcd_of", F.udaf(Gcd, Encoders.scalaLong))
    for (
      sql <- Seq(
        lateral(s"SELECT gcd_of(v), count_if(v > 3) FROM e WHERE $range"),
        s"SELECT id, (SELECT gcd_of(v) FROM e WHERE $range) FROM l",
        s"SELECT l.id, gcd_of(e.v) FROM l LEFT JOIN e ON $range GROUP BY l.id, l.k, l.ts",
        s"SELECT l.k, l.ts % 4, gcd_of(e.v) FILTER (WHERE e.s = 1) FROM (SELECT k, ts % 4 AS ts FROM l) l JOIN e ON $range GROUP BY l.k, l.ts"
      )
    ) {
      assertEquals(joins(planOf(sql)).size, 1, sql)
      val answers = Seq("true", "false").map(on =>
        withSettings(SlidewiseSettings.Enabled -> on)(spark.sql(sql).collect().map(_.toString).sorted.toSeq)
      )
      assertEquals(answers.head, answers.last, sql)
    }
  }

  test("results that nobody reads are not computed") {
    val sql =
      s"SELECT id, n FROM (SELECT * FROM l, LATERAL (SELECT sum(v) s, count(*) n FROM e WHERE $range))"
    val plan = { tables; spark.sql(sql).queryExecution.optimizedPlan }
    assertEquals(joins(plan).map(_.calls.size), Seq(1))
    val none = spark.sql(s"SELECT id FROM (SELECT * FROM l, LATERAL (SELECT sum(v) s FROM e WHERE $range))")
    assertEquals(joins(none.queryExecution.optimizedPlan), Nil)
    assertEquals(none.count(), 9L)
  }

  test("reasons are those of the last rewrite, however often a plan is rewritten") {
    val many = "(SELECT id, id % 3 AS k, id AS ts FROM range(1000000))"
    val data = {
      tables
      spark.sql(s"SELECT l.id, sum(e.v) FROM $many l LEFT JOIN e ON $range GROUP BY l.id, l.k, l.ts")
    }
    def again = data.select("*").queryExecution.normalized
    for (_ <- 1 to 3) assertEquals(reasons(again).size, 1)
    withSettings(SlidewiseSettings.WindowJoinMinSize -> "0") {
      assertEquals((reasons(again), joins(again).size), (Nil, 1))
    }
    assertEquals((reasons(again).size, joins(again).size), (1, 0))
  }

  test("a window subquery beside an uncorrelated one that holds a window join") {
    val inner =
      s"SELECT id FROM ${lateral(s"SELECT count(*) AS n FROM e WHERE $range").stripPrefix("SELECT * FROM ")} WHERE n > 0"
    val scalar = s"(SELECT count(*) FROM e WHERE $range)"
    for (
      sql <- Seq(
        s"SELECT id FROM l WHERE $scalar > 0 AND id IN ($inner)",
        s"SELECT id, $scalar, (SELECT max(id) FROM ($inner)) FROM l"
      )
    ) {
      assertEquals(joins(planOf(sql)).size, 2, sql)
      def rows = spark.sql(sql).collect().map(_.toString).sorted.toSeq
      assertEquals(rows, withSettings(SlidewiseSettings.Enabled -> "false")(rows))
    }
  }
}
