package org.slidewise.spark.planning.joins

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Sort}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.functions.{col, sum, when}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.WindowJoin

/** Window joins among what Spark's optimizer does to joins: filters, sorts, views, cached rows, and columns computed before. */
class WindowJoinsInQueriesSuite extends ComparesWindowJoins {
  private val range = "e.k = l.k AND e.ts < l.ts"

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark
      .range(12)
      .selectExpr("id", "id % 3 AS k", "id * 3 AS ts", "IF(id % 4 = 0, NULL, id) AS x")
      .createOrReplaceTempView("l")
    spark.range(40).selectExpr("id % 4 AS k", "id AS ts", "id % 5 AS v").createOrReplaceTempView("e")
  }

  private def grouped(columns: String, from: String = s"l LEFT JOIN e ON $range"): String =
    s"SELECT l.id, $columns FROM $from GROUP BY l.id, l.k, l.ts, l.x"

  private def optimized(sql: String): LogicalPlan = spark.sql(sql).queryExecution.optimizedPlan

  private def join(plan: LogicalPlan): WindowJoin = plan.collectFirst { case join: WindowJoin => join }.get

  test("aggregates of left columns with functions that Spark replaces") {
    for (
      value <- Seq(
        "sum(nvl(l.x, 0))",
        "max(nullif(l.x, 3)), count(e.ts)",
        "sum(CASE WHEN l.x BETWEEN 2 AND 5 THEN 1 ELSE 2 END)",
        "max(to_date(concat('2026-01-0', CAST(l.k + 1 AS STRING))))",
        "sum(extract(DAY FROM DATE'2026-01-05' + CAST(l.k AS INT)))",
        "count_if(l.x > 2), count(DISTINCT nvl(l.x, 0))"
      )
    ) isWindow(grouped(s"$value, sum(e.v)"))
    isAnswered(grouped("max(datediff(current_date(), DATE'2026-01-01' + CAST(l.k AS INT)))"))
    isWindow(grouped("sum(e.v) FILTER (WHERE timestamp_seconds(e.ts) < current_timestamp())"))
    isLeft(
      grouped("max(datediff(current_date(), DATE'2026-01-01' + CAST(l.k AS INT)))"),
      "only Spark's operators"
    )
    isAnswered(grouped("count_if(DATE'2026-01-01' + CAST(l.k AS INT) <= 'today'), sum(e.v)"))
    isAnswered(
      grouped("max(coalesce(timestamp_seconds(e.ts), current_timestamp())) = current_timestamp() AS isNow")
    )
  }

  test("a chain of columns that each read the one before twice is planned in time, as without windows") {
    val start = spark.sql(s"SELECT l.*, e.v, e.v AS s FROM l JOIN e ON $range")
    val chain = (1 to 60).foldLeft(start)((rows, i) =>
      rows.withColumn("s", when(col("s") > i, col("s") - 1).otherwise(col("s") + 1))
    )
    chain.createOrReplaceTempView("chain")
    val sql = "SELECT id, sum(s) FROM chain GROUP BY id, k, ts"
    isLeft(sql, "the columns are long expressions")
    isAnswered(sql)
  }

  test("times that may fail for rows without partners, in functions that Spark replaces") {
    withSettings("spark.sql.ansi.enabled" -> true) {
      spark.sql("SELECT * FROM VALUES (1, '5'), (99, 'bad') AS t(k, s)").createOrReplaceTempView("texts")
      for (
        time <- Seq(
          "to_timestamp(t.s)",
          "to_timestamp(t.s, 'yyyy')",
          "CAST(to_date(t.s, 'd') AS TIMESTAMP)",
          "timestamp_seconds(to_number(t.s, '9'))"
        )
      )
        isLeft(
          s"SELECT l.id, count(*) FROM l JOIN texts t ON t.k = l.k AND $time < timestamp_seconds(l.ts) GROUP BY l.id, l.k, l.ts",
          "may fail for rows"
        )
    }
  }

  test("Slidewise switched off while adaptive execution runs a query") {
    withSettings(
      "spark.sql.adaptive.enabled" -> true,
      "spark.sql.adaptive.forceApply" -> true,
      SlidewiseSettings.WindowJoinMinSize -> 0
    ) {
      val expected = rows(grouped("sum(e.v)"), on = true)
      val data = spark.sql(grouped("sum(e.v)"))
      data.queryExecution.executedPlan
      withSettings(SlidewiseSettings.Enabled -> false) {
        assertEquals(data.collect().map(_.toString).sorted.toSeq, expected)
      }
    }
  }

  test("a filter of left keys filters the right rows") {
    for (
      sql <- Seq(
        grouped("sum(e.v)", s"l JOIN e ON $range WHERE l.k = 2 AND l.id > 3"),
        s"SELECT l.id, f.s FROM l LEFT JOIN LATERAL (SELECT sum(v) AS s FROM e WHERE $range) f ON true WHERE l.k = 2",
        s"SELECT l.id, (SELECT sum(v) FROM e WHERE $range) FROM l WHERE l.k IN (2, 3)"
      )
    ) {
      isWindow(sql)
      val right = join(optimized(sql)).right
      assert(
        right.exists { case f: Filter => f.condition.sql.contains("2"); case _ => false },
        right
      )
    }
    // A key that compares -0.0 and 0.0 as equal says nothing of other expressions.
    isWindow(
      "SELECT l.id, (SELECT count(*) FROM e WHERE CAST(e.k AS DOUBLE) = m.d AND e.ts < m.ts) " +
        "FROM (SELECT *, CAST(-k AS DOUBLE) AS d FROM l) AS m JOIN l ON l.id = m.id WHERE CAST(m.d AS STRING) = '-0.0'"
    )
  }

  test("sorts of either table are dropped, those that limit rows are not") {
    val sorted =
      "(SELECT * FROM l ORDER BY x) l LEFT JOIN (SELECT k, ts, v + 1 AS v FROM e ORDER BY v) e ON " + range
    isWindow(grouped("sum(e.v)", sorted))
    assertEquals(optimized(grouped("sum(e.v)", sorted)).collect { case sort: Sort => sort }, Nil)
    val limited = s"l LEFT JOIN (SELECT * FROM e ORDER BY ts, v LIMIT 5) e ON $range"
    isWindow(grouped("sum(e.v)", limited))
  }

  test("a left table without rows") {
    val sql = grouped("sum(e.v)", s"(SELECT * FROM l WHERE 1 = 0) l LEFT JOIN e ON $range")
    isWindow(sql)
    assertEquals(optimized(sql).collect { case join: WindowJoin => join }, Nil)
  }

  test("an aggregate that fails for rows that an earlier subquery drops") {
    withSettings("spark.sql.ansi.enabled" -> true) {
      def of(aggregate: String) =
        s"SELECT l.id, f.n, g.s FROM l, LATERAL (SELECT count(*) n FROM e WHERE $range HAVING count(*) < 5) f, " +
          s"LATERAL (SELECT $aggregate AS s FROM e WHERE $range) g"
      isWindow(of("sum(CASE WHEN e.ts > 20 THEN 9223372036854775807 ELSE e.ts END)"), operators = 2)
      isWindow(
        of("sum(DISTINCT CASE WHEN e.ts > 20 THEN 9223372036854775807 - e.ts % 2 ELSE e.ts END)"),
        operators = 2
      )
      isWindow(of("max(e.v)"))
      isWindow(of("avg(CAST(e.v AS DOUBLE))"))
    }
  }

  test("a cached join is read from the cache") {
    def cachedIn(sql: String) = spark
      .sql(sql)
      .queryExecution
      .withCachedData
      .collect { case cached: InMemoryRelation =>
        cached
      }
      .size
    val pairs = spark.sql(s"SELECT l.id, l.k, l.ts, l.x, e.v FROM l LEFT JOIN e ON $range")
    pairs.createOrReplaceTempView("pairs")
    val sum = "SELECT id, sum(v) FROM pairs GROUP BY id, k, ts, x"
    isWindow(sum)
    pairs.cache()
    try {
      isLeft(sum, "the joined rows are cached")
      assertEquals(cachedIn(sum), 1)
      isAnswered(sum)
    } finally pairs.unpersist(blocking = true)
  }

  test("cached rows are found whatever else is or was cached") {
    def isFromCache(data: DataFrame) =
      data.queryExecution.withCachedData.exists(_.isInstanceOf[InMemoryRelation])
    val pairs = spark.sql(s"SELECT l.id, l.k, l.ts, e.v FROM l JOIN e ON $range")
    def sums = pairs.groupBy("id", "k", "ts").agg(sum("v"))
    val (first, second) = (sums, sums)
    pairs.cache()
    first.cache()
    first.count()
    pairs.unpersist(blocking = true)
    try assert(isFromCache(sums.where("id > 3")))
    finally first.unpersist(blocking = true)

    second.cache()
    second.count()
    pairs.cache()
    try assert(isFromCache(sums.where("id > 3")))
    finally {
      second.unpersist(blocking = true)
      pairs.unpersist(blocking = true)
    }

    val expressions = spark.sql("WITH c AS (SELECT *, rand() AS r FROM l) SELECT * FROM c")
    expressions.cache()
    expressions.createOrReplaceTempView("random")
    try
      assert(
        isFromCache(
          spark.sql(
            "SELECT c.id, c.r, f.n FROM random c LEFT JOIN LATERAL (SELECT count(*) n FROM e WHERE e.k = c.k AND e.ts < c.ts) f"
          )
        )
      )
    finally expressions.unpersist(blocking = true)
  }

  test("the join is in a view") {
    spark.sql(
      s"CREATE OR REPLACE TEMPORARY VIEW joined AS SELECT l.*, e.v FROM l LEFT JOIN e ON $range"
    )
    isWindow("SELECT id, sum(v) FROM joined GROUP BY id, k, ts")
    isWindow(
      s"WITH ours AS (SELECT * FROM e WHERE v > 1) SELECT id, (SELECT sum(v) FROM ours e WHERE $range) FROM l"
    )
  }
}
