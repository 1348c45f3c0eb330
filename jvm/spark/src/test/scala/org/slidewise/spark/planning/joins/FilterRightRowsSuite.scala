package org.slidewise.spark.planning.joins

import munit.Location
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.expressions.ScalarSubquery
import org.apache.spark.sql.catalyst.plans.logical.Filter
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.execution.DriverValueExec
import org.slidewise.spark.execution.exchange.BlockExchangeExec
import org.slidewise.spark.plan.WindowJoin

/** Right rows that no left row can reach are dropped before the shuffle, and no others. */
class FilterRightRowsSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private val sum = "SELECT sum(e.v) AS s FROM events e WHERE e.k = l.k AND e.t >= l.t - 5 AND e.t <= l.t"

  override def beforeAll(): Unit = {
    spark.range(5000).selectExpr("id % 50 AS k", "id AS t", "id % 7 AS v").createOrReplaceTempView("events")
    spark
      .sql(
        "SELECT * FROM VALUES (1, 3L, 4000L), (2, 3L, 4010L), (3, 77L, 4020L), (4, null, 4000L), (5, 4L, null) AS (id, k, t)"
      )
      .createOrReplaceTempView("labels")
  }

  private def filtered(query: DataFrame): Seq[Filter] = query.queryExecution.optimizedPlan.collect {
    case join: WindowJoin =>
      join.right.collect { case f: Filter if f.condition.exists(_.isInstanceOf[ScalarSubquery]) => f }
  }.flatten

  private def answers(query: String, ratio: Long): (Seq[Row], DataFrame) =
    withSettings(SlidewiseSettings.WindowJoinFilterRatio -> ratio) {
      val found = spark.sql(query)
      found.queryExecution.executedPlan
      (found.collect().toSeq.sortBy(_.toString), found)
    }

  private def check(name: String, query: String, subqueries: Int)(implicit line: Location): Unit =
    test(name) {
      val (with0, on) = answers(query, 0)
      val (without, off) = answers(query, Long.MaxValue)
      assertEquals(with0, without)
      val found = filtered(on).flatMap(_.condition.collect { case s: ScalarSubquery => s }).distinct
      assertEquals(found.size, subqueries)
      assertEquals(filtered(off), Nil)
    }

  check("bounds and keys", s"SELECT l.id, f.s FROM labels l JOIN LATERAL ($sum) f", subqueries = 3)

  check(
    "one bound, no keys",
    "SELECT l.id, (SELECT count(*) FROM events e WHERE e.t <= l.t) AS c FROM labels l",
    subqueries = 1
  )

  check(
    "several frames: the outermost bounds, and none where a frame has none",
    s"""SELECT l.id, (SELECT count(*) FROM events e WHERE e.k = l.k AND e.t >= l.t - 900) AS a,
       |(SELECT max(e.v) FROM events e WHERE e.k = l.k AND e.t >= l.t - 40 AND e.t < l.t) AS b FROM labels l""".stripMargin,
    subqueries = 2
  )

  check(
    "no left rows",
    s"SELECT l.id, f.s FROM labels l JOIN LATERAL ($sum) f WHERE l.id > 100",
    subqueries = 3
  )

  for (codegen <- Seq(true, false))
    test(s"the same key in all right rows: codegen $codegen") {
      withSettings("spark.sql.codegen.wholeStage" -> codegen, "spark.sql.codegen.factoryMode" -> "FALLBACK") {
        val sql = "SELECT l.id, (SELECT count(*) FROM (SELECT 3L AS k, t FROM events) e " +
          "WHERE e.k = l.k AND e.t >= l.t - 5 AND e.t <= l.t) AS c FROM labels l"
        val (found, on) = answers(sql, ratio = 0)
        assertEquals(found, answers(sql, Long.MaxValue)._1)
        assertEquals(found.map(_.getLong(1)).sorted, Seq(0L, 0L, 0L, 6L, 6L))
        assert(filtered(on).nonEmpty)
      }
    }

  test("left rows of a table of a connector: its scan is read for the limits, too") {
    val folder = java.nio.file.Files.createTempDirectory("slidewise").resolve("labels").toString
    spark.table("labels").write.parquet(folder)
    withSettings("spark.sql.sources.useV1SourceList" -> "") {
      spark.read.parquet(folder).createOrReplaceTempView("files")
      for (left <- Seq("files", "(SELECT * FROM files WHERE id < 4 AND t > 0)")) {
        val query = s"SELECT l.id, f.s FROM $left l JOIN LATERAL ($sum) f"
        val (found, on) = answers(query, 0)
        assertEquals(found, answers(query, Long.MaxValue)._1)
        assert(on.queryExecution.optimizedPlan.exists(_.isInstanceOf[DataSourceV2ScanRelation]), query)
        assertEquals(
          filtered(on).flatMap(_.condition.collect { case s: ScalarSubquery => s }).distinct.size,
          3
        )
      }
    }
  }

  check(
    "a bound that fails for a row without partners",
    "SELECT l.id, (SELECT count(*) FROM events e WHERE e.k = l.k + 1000 * (l.id div 5) AND " +
      "e.t >= l.t - 5 AND e.t <= 9223372036854775803 + l.id) AS c FROM labels l",
    subqueries = 3
  )

  test("left rows that a condition excludes reach no right rows") {
    val condition = "e.k = l.k AND e.t >= l.t - 5 AND e.t <= l.t AND l.id = 1"
    val (_, query) =
      answers(s"SELECT l.id, (SELECT count(*) FROM events e WHERE $condition) AS c FROM labels l", ratio = 0)
    val rows = collect(query.queryExecution.executedPlan) { case exchange: BlockExchangeExec => exchange }
      .map(_.metrics("numRows").value)
    // Five labels, and of the events from 3995 to 4000 that with the key 3, and those whose keys the Bloom filter takes for one.
    assertEquals(rows.size, 2)
    assert(rows.head == 5 && rows(1) <= 6, rows)
  }

  test("one scan of the left side, whose values go to the reader of files") {
    val folder = java.nio.file.Files.createTempDirectory("slidewise")
    for (table <- Seq("events", "labels")) {
      spark.table(table).write.parquet(s"$folder/$table")
      spark.read.parquet(s"$folder/$table").createOrReplaceTempView(s"${table}_in_files")
    }
    val (_, query) = answers(
      s"SELECT l.id, f.s FROM labels_in_files l JOIN LATERAL (${sum.replace("events", "events_in_files")}) f",
      ratio = 0
    )
    val plan = query.queryExecution.executedPlan
    val scans = collectWithSubqueries(plan) { case scan: FileSourceScanExec => scan }
    val (ofEvents, ofLabels) = scans.partition(_.schema.fieldNames.contains("v"))
    // Of the rows of the join, and of what is known of them.
    assertEquals(ofLabels.distinct.size, 2, plan.toString)
    val limits = collectWithSubqueries(plan) { case limit: DriverValueExec => limit }
    assertEquals(limits.distinct.size, 3, plan.toString)
    // Spark 3.5 gives the reader of files no filter with a subquery.
    if (BuiltFor.MINOR != "3.5") {
      val pushed = ofEvents.map(_.metadata("PushedFilters"))
      assert(
        pushed.forall(filters =>
          filters.contains("GreaterThanOrEqual(t,") && filters.contains("LessThanOrEqual(t,")
        ),
        pushed
      )
    }
  }

  for ((files, shuffles) <- Seq(1 -> 0, 9 -> 1))
    test(s"left rows in $files files: $shuffles shuffles for the limits") {
      val folder = java.nio.file.Files.createTempDirectory("slidewise").resolve("labels").toString
      spark
        .range(90)
        .selectExpr("id", "id % 50 AS k", "id * 40 AS t")
        .repartition(files)
        .write
        .parquet(folder)
      spark.read.parquet(folder).createOrReplaceTempView("files")
      val sql = s"SELECT l.id, f.s FROM files l JOIN LATERAL ($sum) f"
      val (found, query) = answers(sql, ratio = 0)
      assertEquals(found, answers(sql, Long.MaxValue)._1)
      val limits = collectWithSubqueries(query.queryExecution.executedPlan) { case of: BaseAggregateExec =>
        of
      }
      val inLimits =
        limits.flatMap(of => collect(of) { case shuffle: ShuffleExchangeLike => shuffle }).distinct
      assertEquals(inLimits.size, shuffles, query.queryExecution.executedPlan.toString)
    }

  test("a left side that is not cheap to read twice is read once") {
    withSettings(SlidewiseSettings.WindowJoinFilterRatio -> 0L) {
      val query = spark.sql(
        s"SELECT l.id, f.s FROM (SELECT k, max(t) AS t, max(id) AS id FROM labels GROUP BY k) l JOIN LATERAL ($sum) f"
      )
      assertEquals(filtered(query), Nil)
      assertEquals(query.count(), 4L)
    }
  }
}
