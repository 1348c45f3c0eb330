package org.slidewise.spark.plan

import org.slidewise.spark.SparkSuite

class CanonicalFormSuite extends SparkSuite {

  override def beforeAll(): Unit = {
    super.beforeAll()
    val session = spark
    session.udf.register("one", (n: Long) => n + 1)
    session.udf.register("two", (n: Long) => n + 2)
    session
      .sql(
        """SELECT id AS n, id AS v_1, id AS v_2, cast(id AS string) AS s, cast(id AS string) AS kind,
          |timestamp_seconds(id) AS ts, date '2020-01-01' AS d, array(id) AS a, map('k', id) AS m,
          |named_struct('x', id, 'y', id) AS r, cast(id AS decimal(10, 2)) AS dec FROM range(3)""".stripMargin
      )
      .write
      .mode("overwrite")
      .saveAsTable("canonical_events")
  }

  override def afterAll(): Unit = {
    spark.sql("DROP TABLE canonical_events")
    super.afterAll()
  }

  private def of(expression: String, from: String = "canonical_events"): String = {
    val plan = spark.sql(s"SELECT $expression AS x FROM $from").queryExecution.analyzed
    new CanonicalColumns(plan).all(plan.output.head.exprId).canonical
  }

  private val different = Seq(
    "sum(v_1)" -> "sum(v_2)",
    "sum(n)" -> "sum(DISTINCT n)",
    "sum(n) FILTER (WHERE n > 1)" -> "sum(n) FILTER (WHERE n > 2)",
    "first(n)" -> "first(n, true)",
    "percentile(n, 0.5)" -> "percentile(n, 0.25)",
    "approx_count_distinct(n, 0.05)" -> "approx_count_distinct(n, 0.01)",
    "kind = 'type_1'" -> "kind = 'type_2'",
    "s || '1'" -> "s || '2'",
    "s || 'a''b'" -> "s || 'a\\\\b'",
    "d < DATE '2020-01-01'" -> "d < DATE '2021-01-01'",
    "ts < TIMESTAMP '2020-01-01 00:00:00.000001'" -> "ts < TIMESTAMP '2020-01-01 00:00:00.000002'",
    "n + 1" -> "n + 1L",
    "dec + 1.0" -> "dec + 1.00",
    "cast(s AS int)" -> "cast(s AS bigint)",
    "cast(s AS int)" -> "try_cast(s AS int)",
    "cast(n AS decimal(10, 2))" -> "cast(n AS decimal(10, 3))",
    "r.x" -> "r.y",
    "m['a']" -> "m['b']",
    "a[0]" -> "a[1]",
    "array(1, 2)" -> "array(1, 3)",
    "map(1, 'a')" -> "map(1, 'b')",
    "from_json(s, 'a INT')" -> "from_json(s, 'a BIGINT')",
    "from_json(s, 'a INT')" -> "from_json(s, 'a INT', map('mode', 'FAILFAST'))",
    "to_json(r)" -> "to_json(r, map('ignoreNullFields', 'false'))",
    "transform(a, x -> x + 1)" -> "transform(a, x -> x + 2)",
    "transform(a, (x, i) -> x)" -> "transform(a, (x, i) -> i)",
    "aggregate(a, 0L, (l, x) -> l + x)" -> "aggregate(a, 0L, (l, x) -> x)",
    "ts + INTERVAL 1 DAY" -> "ts + INTERVAL 24 HOURS",
    "date_format(ts, 'HH')" -> "date_format(ts, 'hh')",
    "n IN (1, 2)" -> "n IN (1, 3)",
    "one(n)" -> "two(n)",
    "s COLLATE UTF8_LCASE" -> "s COLLATE UNICODE_CI",
    "regexp_replace(s, '1', '2')" -> "regexp_replace(s, '1', '3')",
    "nullif(n, 1)" -> "nullif(n, 2)",
    "nullif(nullif(n, 1), 2)" -> "nullif(nullif(n, 2), 1)",
    "n BETWEEN 1 AND 2" -> "n BETWEEN 1 AND 3",
    "sum(n) OVER (ORDER BY n)" -> "sum(n) OVER (ORDER BY n DESC)",
    "sum(n) OVER (ORDER BY n ROWS 1 PRECEDING)" -> "sum(n) OVER (ORDER BY n ROWS 2 PRECEDING)",
    "(SELECT max(n) FROM canonical_events)" -> "(SELECT max(v_1) FROM canonical_events)",
    "(SELECT max(n) FROM canonical_events WHERE n > 1)" -> "(SELECT max(n) FROM canonical_events WHERE n > 2)"
  )

  test("expressions that may have different results have different texts, the same in each analysis") {
    for ((one, other) <- different) {
      assertEquals(of(one), of(one), one)
      assertNotEquals(of(one), of(other), s"$one and $other")
    }
  }

  test("names, filters below and seeds do not matter; columns are followed to their sources") {
    val events = "canonical_events"
    val n = of("n + 1")
    assertEquals(of("m + 1", s"(SELECT n AS m FROM $events)"), n)
    assertEquals(of("n + 1", s"(SELECT * FROM $events WHERE s != 'q' AND s IS NOT NULL)"), n)
    assertEquals(of("m", s"(SELECT n + 1 AS m FROM $events)"), n)
    assertEquals(of("m", s"(WITH e AS (SELECT n + 1 AS m FROM $events) SELECT * FROM e)"), n)
    assertNotEquals(of("m", s"(SELECT n + 2 AS m FROM $events)"), n)
    assertNotEquals(of("n + 1", s"(SELECT v_1 AS n FROM $events)"), n)
    assertEquals(of("rand() < 0.5"), of("rand() < 0.5"))
    assertEquals(of("max(now())"), of("max(now())"))
    assertEquals(of("uuid()"), of("uuid()"))
  }

  test("columns of one name from two sources are two columns, whatever is computed of them") {
    val joined = "canonical_events l JOIN canonical_events r ON l.n = r.v_1"
    assertNotEquals(of("l.n", joined), of("r.n", joined))
    val computed = "canonical_events l JOIN (SELECT n + 1 AS n, v_1 FROM canonical_events) r ON l.n = r.v_1"
    assertNotEquals(of("l.n + 1", computed), of("r.n", computed))
    val union = "(SELECT n FROM canonical_events UNION ALL SELECT v_1 FROM canonical_events)"
    assertNotEquals(of("n", union), of("n"))
    assertNotEquals(
      of("sum(n)", s"canonical_events GROUP BY s"),
      of("sum(n)", "canonical_events GROUP BY kind")
    )
  }

  test("a time zone belongs to expressions that depend on it") {
    def in(zone: String, expression: String) =
      withSettings("spark.sql.session.timeZone" -> zone)(of(expression))
    for (
      expression <- Seq("date_format(ts, 'HH')", "cast(ts AS date)", "cast(s AS timestamp)", "current_date()")
    )
      assertNotEquals(in("UTC", expression), in("Asia/Tokyo", expression), expression)
    for (expression <- Seq("cast(n AS int)", "sum(n)", "ts", "cast(s AS int)"))
      assertEquals(in("UTC", expression), in("Asia/Tokyo", expression), expression)
  }

  test("the text of a column of columns stays short") {
    val deep = (1 to 40).foldLeft(spark.table("canonical_events").select("n"))((rows, _) =>
      rows.selectExpr("n + n * n AS n")
    )
    val plan = deep.queryExecution.analyzed
    assert(new CanonicalColumns(plan).all.values.forall(_.canonical.length <= 300))
  }

  // The text is in checkpoints, which later versions of Spark continue.
  test("the text is the same on each Spark") {
    assertEquals(
      of("n + 1", "canonical_events"),
      "Add(0.'n':bigint,Cast(1:int,dataType=bigint,evalMode=ANSI),evalMode=ANSI)"
    )
    assertEquals(of("sum(n)"), "aggregate.Sum(0.'n':bigint,evalMode=ANSI) by []")
    assertEquals(of("r.x"), "field(0.'r':struct<'x':bigint,'y':bigint>,0,'x')")
    assertEquals(of("s = 'a'"), "EqualTo(0.'s':string,'a':string)")
  }
}
