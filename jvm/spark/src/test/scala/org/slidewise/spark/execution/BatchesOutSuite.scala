package org.slidewise.spark.execution

import org.apache.spark.sql.execution.{ColumnarToRowExec, InputAdapter, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.{SortedAnswers, SparkSuite}
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.blocks.RandomTables
import org.slidewise.spark.execution.columns.FieldVector
import org.slidewise.spark.execution.exchange.FilteredBatchesExec

/** Operators that hand batches out: the same answers as Spark's, whoever reads them. */
class BatchesOutSuite extends SparkSuite with SortedAnswers with AdaptiveSparkPlanHelper {

  private lazy val path = RandomTables.parquet(spark, rows = 3000)

  private val flat = RandomTables.schema.filter(f => FieldVector.holds(f.dataType)).map(_.name).mkString(", ")

  private val order = "PARTITION BY b3 ORDER BY b4, a4, a3, b6, a6, b7, b12, b13"
  private val near = s"OVER ($order ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)"

  private def over(columns: String) = s"SELECT $columns, sum(b4) $near AS s, avg(a3) $near AS m, " +
    s"row_number() OVER ($order) AS n, lag(a3, 2) OVER ($order) AS l, max(a12) $near AS d, first_value(a8) $near AS f FROM files"

  private def isOurs(plan: SparkPlan): Boolean = plan match {
    case adapter: InputAdapter                    => isOurs(adapter.child)
    case _: SlidingWindowExec | _: WindowJoinExec => true
    case _                                        => false
  }

  /** Asks with and without Slidewise. Returns the plan that ran. */
  private def same(sql: String): SparkPlan = {
    spark.read.parquet(path).createOrReplaceTempView("files")
    val query = spark.sql(sql)
    val found = answer(query)
    val without = withSettings(SlidewiseSettings.Enabled -> false)(answer(spark.sql(sql)))
    assertEquals(found, without, sql)
    assert(found.nonEmpty, sql)
    query.queryExecution.executedPlan
  }

  /** Asks with and without Slidewise. Returns the operators above Slidewise's. */
  private def check(sql: String): Seq[SparkPlan] = collectWithSubqueries(same(sql)) {
    case plan if !plan.isInstanceOf[InputAdapter] && plan.children.exists(isOurs) => plan
  }

  private val forms = Seq(
    "all columns" -> over(flat),
    "an aggregation" -> s"SELECT a10, sum(s), count(l), max(m), min(f), max(a4) FROM (${over(flat)}) GROUP BY a10",
    "a filter" -> s"SELECT n, s, a10, a7, b5, l FROM (${over(flat)}) WHERE n % 2 = 1 AND (s > 0 OR m IS NULL)",
    "a projection" -> s"SELECT s + n, upper(a10), a8 * 2, a11 FROM (${over(flat)})",
    "a join" -> s"SELECT x.s, x.a10, y.l FROM (${over(flat)}) x JOIN (SELECT DISTINCT a3, 7 AS l FROM files) y ON x.l = y.a3",
    "a limit" -> s"SELECT count(s) FROM (SELECT * FROM (${over(flat)}) LIMIT 1500)",
    "a sort" -> s"SELECT a10, s, n FROM (${over(flat)}) ORDER BY s, n",
    "an exists" -> s"SELECT count(*) FROM files WHERE b4 IN (SELECT s FROM (${over("a10")}))"
  )

  for ((what, sql) <- forms; adaptive <- Seq(true, false))
    test(s"$what above a window reads batches, AQE $adaptive") {
      withSettings("spark.sql.adaptive.enabled" -> adaptive) {
        val above = check(sql)
        assert(above.nonEmpty && above.forall(_.isInstanceOf[ColumnarToRowExec]), above.mkString("\n"))
      }
    }

  test("a union, a cached query and a file have the rows of batches") {
    val union = check(s"${over(flat)} UNION ALL SELECT * FROM (${over(flat)}) WHERE false")
    assert(union.nonEmpty && union.forall(_.isInstanceOf[ColumnarToRowExec]), union.mkString("\n"))
    spark.sql(over(flat)).createOrReplaceTempView("answers")
    val expected = answer(spark.table("answers"))
    spark.catalog.cacheTable("answers")
    try {
      assertEquals(answer(spark.table("answers")), expected)
      val folder = java.nio.file.Files.createTempDirectory("slidewise").resolve("answers").toString
      spark.sql(over(flat)).write.parquet(folder)
      assertEquals(answer(spark.read.parquet(folder)), expected)
    } finally spark.catalog.uncacheTable("answers")
  }

  test("the exchange of a window with other keys takes the batches of the one below") {
    val above =
      check(
        s"SELECT a10, s, r FROM (SELECT *, sum(n) OVER (PARTITION BY b10 ORDER BY s, n, a4) AS r FROM (${over(flat)}))"
      )
    assert(
      above.exists { case _: FilteredBatchesExec => true; case _ => false },
      above.mkString("\n")
    )
  }

  for (adaptive <- Seq(true, false))
    test(s"window joins hand batches out, AQE $adaptive") {
      withSettings("spark.sql.adaptive.enabled" -> adaptive) {
        val columns = flat.split(", ").map("l." + _).mkString(", ")
        val lateral =
          s"SELECT $columns, s, c FROM files l, LATERAL (SELECT sum(e.b4) AS s, count(*) AS c FROM files e " +
            "WHERE e.b3 = l.b3 AND e.b4 <= l.b4 AND e.b4 >= l.b4 - 90000000000)"
        for (sql <- Seq(lateral, s"SELECT a10, sum(s), max(c), min(a4) FROM ($lateral) GROUP BY a10")) {
          val above = check(sql)
          assert(above.nonEmpty && above.forall(_.isInstanceOf[ColumnarToRowExec]), above.mkString("\n"))
        }
      }
    }

  for {
    (what, columns, settings) <- Seq(
      ("a column is an array", s"$flat, a17", Nil),
      ("there is no generated code", flat, Seq("spark.sql.codegen.wholeStage" -> false)),
      ("there are more columns than generated code takes", flat, Seq("spark.sql.codegen.maxFields" -> 20))
    )
  }
    test(s"rows are handed out where $what") {
      withSettings(settings: _*) {
        val plan = same(over(columns))
        val found = collect(plan) { case window: SlidingWindowExec => window.supportsColumnar }
        assertEquals(found, Seq(false), plan.toString)
      }
    }
}
