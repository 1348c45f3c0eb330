package org.slidewise.spark.planning.joins

/** The forms in which people write a range of time, each as a window join with the rows of Spark's own plan. */
class WindowJoinFormsSuite extends ComparesWindowJoins {
  override def beforeAll(): Unit = {
    super.beforeAll()
    table("l", 14, 3)
    table("e", 40, 7)
  }

  /** Rows of two keys, with nulls, times before 1970, and distances of less than a second. */
  private def table(name: String, rows: Int, seed: Int): Unit =
    spark
      .range(rows.toLong)
      .selectExpr(
        "id",
        s"IF(id % 9 = 4, NULL, CAST(pmod(hash(id, $seed), 2) AS INT)) AS k",
        s"IF(id % 11 = 5, NULL, timestamp_millis(pmod(xxhash64(id, $seed), 400) * 900500 - 180000000)) AS ts",
        s"CAST(pmod(hash(id, $seed, 1), 20) - 10 AS INT) AS x",
        s"pmod(hash(id, $seed, 2), 9) AS v",
        s"pmod(hash(id, $seed, 3), 4) * 3600 AS w"
      )
      .selectExpr(
        "*",
        "CAST(ts AS DATE) AS d",
        "CAST(x AS BIGINT) AS y",
        "CAST(ts AS TIMESTAMP_NTZ) AS n",
        "ts - INTERVAL 7 HOURS AS lo"
      )
      .createOrReplaceTempView(name)

  private val counted = "count(*) * 1000 + coalesce(sum(e.v), 0)"

  private def count(condition: String): String =
    s"SELECT id, (SELECT $counted FROM e WHERE e.k = l.k AND $condition) FROM l"

  /** Each condition is a window join, with the rows for which Spark says that it is true. */
  private def areWindows(conditions: Seq[String]): Unit = {
    conditions.foreach { condition =>
      val (joins, reasons) = plansOf(count(condition))
      assertEquals(reasons, Nil, condition)
      assertEquals(joins.size, 1, condition)
    }
    val subqueries = conditions.map(c => s"(SELECT $counted FROM e WHERE e.k = l.k AND $c)")
    val filtered = conditions.map(c => s"count_if($c) * 1000 + coalesce(sum(e.v) FILTER (WHERE $c), 0)")
    val ofId = s"SELECT l.id, ${filtered.mkString(", ")} FROM l LEFT JOIN e ON e.k = l.k GROUP BY l.id"
    val found = rows(s"SELECT id, ${subqueries.mkString(", ")} FROM l", on = true)
    val expected = rows(ofId, on = false)
    assertEquals(found, expected, conditions.mkString("\n"))
  }

  private val solvedInAnyZone = Seq(
    "e.ts + INTERVAL 1 HOUR >= l.ts AND e.ts < l.ts",
    "l.ts > e.ts AND l.ts < e.ts + INTERVAL '90' MINUTE",
    "e.ts - INTERVAL 1 HOUR > l.ts - INTERVAL 3 HOURS AND e.ts <= l.ts",
    "unix_timestamp(l.ts) - unix_timestamp(e.ts) < 3600 AND e.ts <= l.ts",
    "unix_timestamp(l.ts) - unix_timestamp(e.ts) BETWEEN 0 AND 3600",
    "to_unix_timestamp(e.ts) - to_unix_timestamp(l.ts) >= -l.w AND e.ts < l.ts",
    "bigint(l.ts) - bigint(e.ts) <= 3600 AND bigint(e.ts) < bigint(l.ts)",
    "unix_millis(e.ts) + 5400000 > unix_millis(l.ts) AND unix_seconds(e.ts) <= unix_seconds(l.ts)",
    "unix_micros(e.ts) < unix_micros(l.ts) AND l.ts - INTERVAL 1 DAY < e.ts",
    "e.n + INTERVAL 1 DAY >= l.n AND e.n < l.n",
    "l.n - e.n BETWEEN INTERVAL '0' SECOND AND INTERVAL '1' DAY",
    "l.d - e.d <= INTERVAL '1' DAY AND e.d <= l.d",
    "e.d - l.d > INTERVAL '-2' DAY AND l.d >= e.d"
  )

  private val solvedInUtc = Seq(
    "e.ts + INTERVAL 1 DAY >= l.ts AND e.ts < l.ts",
    "l.ts - e.ts <= INTERVAL 1 DAY AND l.ts - e.ts > INTERVAL '0' SECOND",
    "l.ts - e.ts BETWEEN INTERVAL '0' SECOND AND make_dt_interval(0, 0, 0, l.w)",
    "e.ts + make_dt_interval(0, 0, 0, l.w) > l.ts AND e.ts <= l.ts",
    "datediff(l.ts, e.ts) BETWEEN 0 AND 1 AND e.ts < l.ts",
    "datediff(e.ts, l.ts) >= -1 AND date(e.ts) <= l.d AND date(e.ts) > l.d - 3",
    "timestampdiff(MINUTE, e.ts, l.ts) BETWEEN 1 AND 300",
    "timestampdiff(HOUR, l.ts, e.ts) > -3 AND e.ts <= l.ts",
    "timestampdiff(DAY, e.ts, l.ts) < 1 AND timestampdiff(DAY, e.ts, l.ts) >= -1",
    "CAST(e.ts AS TIMESTAMP_NTZ) < l.n AND l.ts - e.ts < INTERVAL 1 DAY",
    "CAST(e.ts AS DATE) >= l.d AND e.ts < l.ts",
    "e.d >= l.ts - INTERVAL 90 MINUTES AND e.d <= l.d",
    "e.d > l.n - INTERVAL 30 HOURS AND e.d < l.ts AND l.d - e.d >= INTERVAL '0' DAY",
    "e.n > l.ts - INTERVAL 90 MINUTES AND e.n <= l.n"
  )

  private val ofNumbers = Seq(
    "e.x + 5 > l.x AND e.x <= l.x",
    "l.x - e.x < 3 AND l.x >= e.x",
    "e.x - l.x BETWEEN -4 AND l.w / 3600 - 1".replace("l.w / 3600", "l.w div 3600"),
    "e.y - 3 >= l.y - 5 AND e.y < l.y",
    "5 + e.x > l.y AND bigint(e.x) <= l.x",
    "l.x + (e.x - 2) > 0 AND e.x < l.x"
  )

  test("conditions that are solved for the time, in any zone") {
    for ((zone, ansi) <- Seq("UTC" -> "true", "America/New_York" -> "false"))
      withSettings("spark.sql.session.timeZone" -> zone, "spark.sql.ansi.enabled" -> ansi)(
        areWindows(solvedInAnyZone)
      )
  }

  test("conditions that are solved for the time in a zone without clock changes") {
    for (zone <- Seq("UTC", "+05:30"))
      withSettings("spark.sql.session.timeZone" -> zone)(areWindows(solvedInUtc))
  }

  test("sums that fail on overflow are solved, and those that wrap around are not") {
    withSettings("spark.sql.ansi.enabled" -> "true")(areWindows(ofNumbers))
    withSettings("spark.sql.ansi.enabled" -> "false") {
      ofNumbers.foreach(c =>
        isLeft(count(c), "wraps around where it overflows; compare a column of the other table alone")
      )
      areWindows(Seq("bigint(e.x) + 5 > l.x AND e.x <= l.x"))
    }
  }

  test("conditions that cannot be solved exactly") {
    isLeft(count("datediff(l.d, e.d + 1) BETWEEN 0 AND 7"), "wraps around for dates")
    isLeft(count("e.v * 1.5D + l.x > 5D"), "is rounded")
    isLeft(count("months_between(l.ts, e.ts) < 3"), "cannot be solved")
    isLeft(count("e.ts + INTERVAL 1 MONTH >= l.ts AND e.ts < l.ts"), "adds months, whose length differs")
    withSettings("spark.sql.session.timeZone" -> "America/New_York") {
      isLeft(count("l.ts - e.ts <= INTERVAL 1 DAY"), "clock changes in America/New_York")
      isLeft(count("e.ts + make_dt_interval(0, 0, 0, l.w) > l.ts"), "adds days, whose length changes")
      isLeft(count("e.ts + INTERVAL 1 DAY > l.ts AND e.ts < l.ts"), "adds days, whose length changes")
    }
  }

  private val range = "e.k = l.k AND e.ts >= l.ts - INTERVAL 1 DAY AND e.ts < l.ts"

  test("ON conditions of LATERAL, and conditions on the left row") {
    for (
      (join, on) <- Seq(
        "LEFT JOIN" -> "l.x > 0",
        "LEFT JOIN" -> "f.s > l.x AND l.v < 5",
        "JOIN" -> "f.n = 0 AND l.x > 0"
      )
    )
      isWindow(s"SELECT * FROM l $join LATERAL (SELECT sum(v) s, count(*) n FROM e WHERE $range) f ON $on")
    isWindow(
      s"SELECT * FROM l LEFT JOIN LATERAL (SELECT v, ts FROM e WHERE $range ORDER BY ts DESC, id LIMIT 1) f ON l.x > 0 AND f.v > 3"
    )
    isWindow(s"SELECT * FROM l CROSS JOIN LATERAL (SELECT sum(v) s FROM e WHERE $range AND l.x > 0) f")
    isWindow(
      s"SELECT l.id, count(e.v), count(*) FROM l LEFT JOIN e ON $range AND l.x > 0 GROUP BY l.id, l.k, l.ts, l.x"
    )
  }

  test("GROUP BY of columns that the equalities bind") {
    for (join <- Seq("JOIN", "LEFT JOIN"))
      isWindow(
        s"SELECT * FROM l $join LATERAL (SELECT e.k, count(*) n, sum(v) + 1 s FROM e WHERE $range GROUP BY e.k) f ON true"
      )
    isWindow(s"SELECT id, (SELECT count(*) FROM e WHERE $range GROUP BY e.k) FROM l")
    isWindow(s"SELECT * FROM l, LATERAL (SELECT e.k FROM e WHERE $range GROUP BY e.k HAVING count(*) > 2) f")
    isLeft(
      s"SELECT * FROM l, LATERAL (SELECT e.x, count(*) FROM e WHERE $range GROUP BY e.x) f",
      "GROUP BY e.x may return several rows"
    )
  }

  test("several conditions on one side") {
    for (zone <- Seq("UTC", "America/New_York"))
      withSettings("spark.sql.session.timeZone" -> zone)(
        areWindows(
          Seq(
            "e.ts < l.ts AND e.ts <= l.ts - INTERVAL 1 HOUR AND e.ts > l.ts - INTERVAL 2 DAYS AND e.ts > l.lo",
            "e.ts > l.lo AND e.ts >= l.lo AND l.x > 0",
            "e.x >= l.x AND e.x > l.v - 5"
          )
        )
      )
    isLeft(count("e.ts > l.lo AND e.ts > timestamp(l.d)"), "by values that may fail")
  }

  private def grouped(aggregate: String, join: String = "LEFT JOIN") =
    s"SELECT l.id, $aggregate FROM l $join e ON $range GROUP BY l.id, l.k, l.ts, l.w, l.x"

  test("conditions of aggregates within the range of the join") {
    val hour = "e.ts >= l.ts - INTERVAL 5 HOURS"
    for (
      join <- Seq("JOIN", "LEFT JOIN");
      zone <- Seq("UTC", "America/New_York")
    ) withSettings("spark.sql.session.timeZone" -> zone) {
      isWindow(
        grouped(
          s"sum(CASE WHEN $hour THEN e.v END), sum(CASE WHEN $hour THEN e.v ELSE 0 END), sum(IF($hour, 1, 0)), sum(e.v)," +
            s"count_if($hour), count(CASE WHEN $hour AND e.x > 0 THEN 1 END), count(*), avg(IF($hour, e.v, NULL))," +
            s"sum(e.v) FILTER (WHERE $hour AND e.x > 0 AND l.x > 0), max(CASE WHEN $hour THEN e.v ELSE 3 END)," +
            s"min(e.v) FILTER (WHERE e.ts BETWEEN l.ts - INTERVAL 10 HOURS AND l.ts - INTERVAL 2 HOURS)," +
            s"count(DISTINCT CASE WHEN $hour THEN e.v END), max(IF($hour, 1, 0)), collect_list(e.v) FILTER (WHERE $hour AND e.id < 0)",
          join
        )
      )
    }
    isWindow(
      "SELECT l.k, l.ts, sum(CASE WHEN e.ts > l.ts - INTERVAL 5 HOURS THEN e.v ELSE 0 END), sum(IF(e.ts > l.ts, 1, 0))" +
        s" FROM (SELECT k, date_trunc('DAY', ts) AS ts FROM l) l LEFT JOIN e ON $range GROUP BY l.k, l.ts"
    )
    isLeft(grouped("sum(CASE WHEN e.x > l.x THEN e.v END)"), "aggregates values of both tables")
    isLeft(grouped("count_if(e.ts > l.lo)"), "GROUP BY has no l.lo")
  }

  test("limits in both directions share an operator, and limits by other expressions than the order") {
    isWindow(
      s"SELECT l.id, a.*, b.* FROM l LEFT JOIN LATERAL (SELECT e.ts, e.v FROM e WHERE $range ORDER BY e.ts DESC, e.id LIMIT 1) a" +
        s" LEFT JOIN LATERAL (SELECT e.ts AS t FROM e WHERE e.k = l.k AND e.ts >= l.ts ORDER BY e.ts LIMIT 1) b"
    )
    isWindow(
      "SELECT l.id, (SELECT e.v FROM e WHERE e.k = l.k AND unix_timestamp(l.ts) - unix_timestamp(e.ts) BETWEEN 1 AND 9999" +
        " ORDER BY e.ts DESC, e.id LIMIT 1) FROM l"
    )
  }

  /** The first row in an order whose expression reads the time, among those that a condition on an expression of it chooses. */
  private def first(condition: String, order: String): String =
    s"SELECT l.id, (SELECT e.v FROM e WHERE e.k = l.k AND $condition ORDER BY $order LIMIT 1) FROM l"

  test("the newest row in the order of an expression of the time") {
    for (
      (condition, order) <- Seq(
        "e.d >= l.ts - INTERVAL 3 DAYS AND e.d <= l.ts" -> "CAST(e.d AS TIMESTAMP) DESC, e.id",
        "CAST(e.d AS TIMESTAMP) <= l.ts" -> "CAST(e.d AS TIMESTAMP_NTZ) DESC, e.id",
        "e.n > l.ts - INTERVAL 90 MINUTES" -> "CAST(e.n AS TIMESTAMP), e.id",
        "e.ts + INTERVAL 1 DAY >= l.ts" -> "e.ts + INTERVAL 1 DAY, e.id",
        "e.ts < l.ts" -> "unix_micros(e.ts) DESC, e.id",
        "e.ts <= l.ts" -> "e.ts + INTERVAL 30 HOURS DESC, e.id",
        "e.x + 5 > l.x" -> "CAST(e.x AS BIGINT), e.id"
      )
    ) isWindow(first(condition, order))
  }

  test("orders in which rows of other times tie, or come the other way round") {
    for (
      order <- Seq("CAST(e.ts AS DATE) DESC, e.id", "unix_seconds(e.ts) DESC, e.id", "hour(e.ts), e.ts, e.id")
    ) isLeft(first("e.ts < l.ts", order), "the rows are not in the order of e.ts")
  }
}
