package org.slidewise.spark.planning.joins

import org.slidewise.spark.config.SlidewiseSettings

/** Queries whose rows a rewriting could change: keys, zeros, overflows, and expressions that fail for some rows. */
class WindowJoinAnswersSuite extends ComparesWindowJoins {

  private def withTables(tables: (String, String)*)(body: => Unit): Unit =
    withSettings("spark.sql.ansi.enabled" -> true, SlidewiseSettings.WindowJoinMinSize -> 0) {
      tables.foreach { case (name, values) =>
        spark.sql(s"SELECT * FROM VALUES $values").createOrReplaceTempView(name)
      }
      body
    }

  test("keys that repeat each other are no other keys") {
    withTables("l" -> "(1, 1, 1, 10) AS t(id, k, j, ts)", "e" -> "(1, 1, 5), (1, 2, 6) AS t(k, j, ts)") {
      val (one, two) = ("e.k = l.k AND e.j = l.j", "e.k = l.k AND l.k = e.k")
      for ((first, second) <- Seq(one -> two, two -> one))
        isAnswered(
          s"SELECT (SELECT count(*) FROM e WHERE $first AND e.ts < l.ts) a, " +
            s"(SELECT count(*) FROM e WHERE $second AND e.ts < l.ts) b FROM l"
        )
      isWindow(
        s"SELECT (SELECT count(*) FROM e WHERE e.k = l.k AND e.ts < l.ts) a, " +
          s"(SELECT count(*) FROM e WHERE $two AND e.ts < l.ts) b FROM l"
      )
    }
  }

  test("a key that says whether a column is null does not bind the column") {
    withTables(
      "l" -> "(1, false, 2, 10), (2, true, null, 10) AS t(id, flag, a, ts)",
      "e" -> "(1, 1), (2, 2), (2, 3), (null, 4) AS t(a, ts)"
    ) {
      def grouped(key: String) =
        s"SELECT l.id, f.* FROM l, LATERAL (SELECT e.a, count(*) n FROM e WHERE $key AND e.ts < l.ts GROUP BY e.a) f"
      isLeft(grouped("(e.a IS NULL) = l.flag"), "may return several rows")
      isAnswered(grouped("(e.a IS NULL) = l.flag"))
      isWindow(grouped("e.a <=> l.a"))
      isWindow(grouped("e.a = l.a"))
    }
  }

  test("a sum that overflows to null stays null beside rows of zero") {
    withTables(
      "l" -> "(1, 1, 10) AS t(id, k, ts)",
      "e" -> "(1, 9, 9223372036854775807), (1, 8, 1), (1, 2, 5) AS t(k, ts, v)"
    ) {
      def of(sum: String) =
        s"SELECT l.id, $sum AS s FROM l JOIN e ON e.k = l.k AND e.ts < l.ts GROUP BY l.id, l.k, l.ts"
      isAnswered(of("try_sum(CASE WHEN e.ts >= l.ts - 3 THEN e.v ELSE 0L END)"))
      isWindow(of("sum(CASE WHEN e.ts >= l.ts - 1 THEN e.v ELSE 0L END)"))
      val decimals = "sum(CASE WHEN e.ts >= l.ts - 3 THEN CAST(repeat('9', 38) AS DECIMAL(38, 0)) " +
        s"ELSE ${"0" * 38}BD END)"
      withSettings("spark.sql.ansi.enabled" -> false)(isAnswered(of(decimals)))
    }
  }

  test("a group of negative zeros has the value zero, and its rows keep their own") {
    withTables(
      "l" -> "(1, 1, 10, -0.0D), (2, 1, 10, 0.0D), (3, 1, 9, 1.5D) AS t(id, k, ts, x)",
      "e" -> "(1, 1, 2), (1, 2, 3) AS t(k, ts, v)"
    ) {
      for (left <- Seq("l", "(SELECT id, k, max(ts) AS ts, max(x) AS x FROM l GROUP BY id, k)"))
        for (
          value <- Seq("max(v)", "sum(l.x)", "avg(l.x)", "count(l.x)", "max(l.x)", "min(CAST(l.x AS STRING))")
        )
          isAnswered(
            s"SELECT l.id, l.x, CAST(l.x AS STRING) AS s, $value FROM $left l LEFT JOIN e ON e.k = l.k AND e.ts < l.ts " +
              "GROUP BY l.id, l.k, l.ts, l.x"
          )
      isWindow(
        "SELECT l.id, l.x, max(v), sum(l.x) FROM l LEFT JOIN e ON e.k = l.k AND e.ts < l.ts GROUP BY l.id, l.k, l.ts, l.x"
      )
      val each = spark.table("l").groupBy("id", "k").agg(Map("ts" -> "max", "x" -> "max"))
      each.toDF("id", "k", "ts", "x").createOrReplaceTempView("each")
      def counts = spark
        .table("each")
        .join(spark.table("e").toDF("ek", "ets", "v"))
        .where("ek = k AND ets < ts")
        .groupBy("id", "k", "ts", "x")
        .count()
        .collect()
        .map(_.toString)
        .sorted
        .toSeq
      assertEquals(counts, withSettings(SlidewiseSettings.Enabled -> "false")(counts))
    }
  }

  test("keys, bounds and filters that tell zeros apart") {
    withTables(
      "l" -> "(1, 10, -0.0D), (2, 10, 0.0D), (2, 10, -0.0D) AS t(id, ts, x)",
      "e" -> "('-0.0', 5), ('0.0', 6) AS t(s, ts)"
    ) {
      def joined(value: String, key: String = "true") =
        s"SELECT l.id, l.x, $value FROM l LEFT JOIN e ON $key AND e.ts < l.ts GROUP BY l.id, l.ts, l.x"
      isLeft(joined("count(e.ts)", "e.s = CAST(l.x AS STRING)"), "equal values that differ")
      isAnswered(joined("count(e.ts)", "e.s = CAST(l.x AS STRING)"))
      isWindow(joined("count(e.ts)", "CAST(e.s AS DOUBLE) = l.x"))
      isWindow(joined("count(e.ts)", "CAST(e.s AS DOUBLE) <=> l.x"))
      val isNegative = "CAST(l.x AS STRING) = '-0.0'"
      for (
        value <- Seq(
          s"count(l.id) FILTER (WHERE $isNegative)",
          s"count_if($isNegative)",
          s"max(e.ts) FILTER (WHERE $isNegative)",
          s"count(l.id, CASE WHEN $isNegative THEN 1 END)"
        )
      ) isAnswered(joined(value))
    }
  }

  test("bounds of floating-point numbers, whose groups may hold zeros of both signs") {
    withTables(
      "l" -> "(1, 10.0F, -0.0D), (2, -0.0F, 0.0D), (2, 0.0F, -0.0D), (3, FLOAT('NaN'), 5.0D) AS t(id, ts, x)",
      "e" -> "(-0.0F, 1), (0.0F, 2), (5.0F, 3), (FLOAT('NaN'), 4), (-1.0F, 5) AS t(ts, v)"
    )(
      for (
        range <- Seq(
          "e.ts < l.ts",
          "e.ts > l.ts",
          "e.ts BETWEEN l.ts - 1 AND l.ts",
          "e.ts > l.x AND e.ts <= l.x + 5",
          "e.ts >= l.ts AND e.ts >= l.x"
        )
      )
        isWindow(s"SELECT l.id, sum(e.v), count(*) FROM l JOIN e ON $range GROUP BY l.id, l.ts, l.x")
    )
  }

  test("keys that fail for rows without a time") {
    withTables(
      "l" -> "(1, 1, 10) AS t(id, k, ts)",
      "e" -> "('1', 5), ('bad', CAST(NULL AS INT)) AS t(s, ts)"
    )(
      isWindow(
        "SELECT l.id, count(e.ts) FROM l LEFT JOIN e ON CAST(e.s AS INT) = l.k AND e.ts < l.ts GROUP BY l.id, l.k, l.ts"
      )
    )
  }

  test("bounds that fail for a row without partners") {
    withTables(
      "l" -> "(1, 1, 20), (2, 99, 0), (3, 1, 100) AS t(id, k, x)",
      "e" -> "(1, 3), (1, 4) AS t(k, ts)"
    ) {
      isWindow(
        "SELECT l.id, count(e.ts) FROM l LEFT JOIN e ON e.k = l.k AND e.ts < 100 div l.x GROUP BY l.id, l.k, l.x"
      )
      for (ratio <- Seq(0L, Long.MaxValue))
        withSettings(
          "spark.sql.codegen.factoryMode" -> "CODEGEN_ONLY",
          "spark.sql.codegen.wholeStage" -> true,
          SlidewiseSettings.WindowJoinFilterRatio -> ratio
        )(
          isWindow(
            "SELECT l.id, count(e.ts) FROM l LEFT JOIN e ON e.k = l.k AND e.ts < (100 div l.x) * (100 div l.x) " +
              "GROUP BY l.id, l.k, l.x"
          )
        )
      withTables("l" -> "(1, 1, '5'), (2, 99, 'none') AS t(id, k, s)")(
        isWindow(
          "SELECT l.id, count(e.ts) FROM l LEFT JOIN e ON e.k = l.k AND e.ts < CAST(l.s AS INT) GROUP BY l.id, l.k, l.s"
        )
      )
    }
  }

  test("times and ties that fail for right rows without partners") {
    withTables(
      "l" -> "(1, 1, TIMESTAMP'1970-01-01 00:00:10') AS t(id, k, ts)",
      "e" -> "(1, 5000, 1, DATE'2026-01-01'), (99, 9223372036854775807, 0, null) AS t(k, ms, w, d)"
    ) {
      def count(time: String) =
        s"SELECT l.id, count(e.w) FROM l LEFT JOIN e ON e.k = l.k AND $time <= l.ts GROUP BY l.id, l.k, l.ts"
      val times = Seq(
        "timestamp_millis(e.ms)",
        "timestamp_seconds(e.ms)",
        "CAST(make_date(e.ms div 1000 + 1965, 1, 1) AS TIMESTAMP)",
        "timestamp_micros(- (- e.ms))",
        "timestamp_micros(abs(e.ms) * 2)",
        "(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL '1' SECOND / e.w)",
        "(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL '1' DAY * e.ms)"
      )
      times.foreach(time => isLeft(count(time), "may fail for rows"))
      isWindow(count("timestamp_seconds(e.w)"))
      isWindow(count("timestamp_micros(try_add(e.ms, 1L))"))
      isLeft(
        "SELECT l.id, f.w FROM l LEFT JOIN LATERAL (SELECT e.w FROM e WHERE e.k = l.k AND timestamp_micros(e.ms) <= l.ts " +
          "ORDER BY timestamp_micros(e.ms) DESC, 10 div e.w LIMIT 1) f",
        "may fail for rows"
      )
      // The view keeps its own mode.
      spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW counts AS SELECT l.id, count(e.w) AS n FROM l " +
          "LEFT JOIN e ON e.k = l.k AND e.ms div e.w <= l.id GROUP BY l.id, l.k"
      )
      withSettings("spark.sql.ansi.enabled" -> false)(isLeft("SELECT * FROM counts", "may fail for rows"))
    }
  }

  test("a row that lacks one bound has no frame whose sum could overflow") {
    val large = "SELECT *, 5000000000000000000 AS v FROM VALUES (1, 1), (1, 2) AS t(k, ts)"
    val sum = s"(SELECT sum(r.v) FROM ($large) r WHERE r.k = l.k AND"
    withSettings("spark.sql.ansi.enabled" -> true, SlidewiseSettings.WindowJoinMinSize -> 0) {
      for (
        distinct <- Seq("", "DISTINCT ");
        nulls <- Seq("(1, NULL, 10)", "(1, NULL, 10), (1, NULL, 5)", "(1, 2, NULL)")
      )
        isWindow(
          s"SELECT *, ${sum.replace("sum(", s"sum(${distinct}r.ts + ")} r.ts >= l.lo AND r.ts <= l.hi) AS s " +
            s"FROM VALUES $nulls, (1, 2, 20) AS l(k, lo, hi)"
        )
      isWindow(
        s"SELECT *, $sum r.ts >= IF(l.flag, l.ts, NULL) AND r.ts <= l.ts + width) AS s " +
          "FROM VALUES (1, 1, 5, false), (1, 2, 0, true), (1, 3, 0, true) AS l(k, ts, width, flag)"
      )
    }
  }
}
