package org.slidewise.spark.planning.hopping

import scala.util.Random

import org.apache.spark.sql.functions.lit

/** Filters of hopping windows drop rows that are in none of the windows that pass, before the aggregation. */
class TimesOfWindowsSuite extends HoppingEvents {
  private val comparisons = Seq("<", "<=", ">", ">=", "=")

  for (
    arguments <- Seq(
      "'1 hour', '7 minutes'",
      "'1 hour', '10 minutes', '-11 seconds'",
      "'30 minutes', '30 seconds', '20 seconds'",
      "'1 hour', '1 hour'"
    );
    kind <- Seq("timestamp", "timestamp_ntz")
  )
    test(s"random filters of window(t, $arguments) over $kind") {
      val random = new Random(arguments.hashCode.toLong)
      def pick[T](values: Seq[T]): T = values(random.nextInt(values.size))
      for (_ <- 1 to 25) {
        val seconds = pick(Seq(0, 90, -11, 420, random.nextInt(7200) - 3600))
        val micros = pick(Seq(0, 0, 1, 999999))
        val at = s"cast(timestamp_micros(${seconds}000000L + $micros) AS $kind)"
        val bound = pick(Seq("w.start", "w.end"))
        val compared =
          if (random.nextBoolean()) s"$bound ${pick(comparisons)} $at" else s"$at ${pick(comparisons)} $bound"
        val sql =
          s"SELECT w, count(x), max(id) FROM (SELECT window(cast(t AS $kind), $arguments) AS w, x, id " +
            s"FROM events) WHERE $compared GROUP BY w"
        assertEquals(rows(spark.sql(sql)), off(rows(spark.sql(sql))), sql)
      }
    }

  test("rows of other windows are not aggregated") {
    val failing =
      "SELECT window.start, sum(IF(t < TIMESTAMP'1970-01-01 00:20:00', CAST(raise_error('read') AS BIGINT), x)) AS s " +
        "FROM events GROUP BY window(t, '1 hour', '10 minutes') HAVING window.start >= TIMESTAMP'1970-01-01 00:20:00'"
    assert(rows(spark.sql(failing)).nonEmpty)
    assertEquals(rows(spark.sql(failing)), off(rows(spark.sql(failing))))
  }

  test("windows at the ends of time, whose bounds wrap around") {
    val ends = Seq(Long.MinValue, Long.MinValue + 5, -1L, 0L, Long.MaxValue - 5, Long.MaxValue)
    ends
      .map(micros =>
        spark.range(1).select(lit(micros).as("m")).selectExpr("timestamp_micros(m) AS t", "1 AS x")
      )
      .reduce(_.union(_))
      .createOrReplaceTempView("far")
    withSettings("spark.sql.ansi.enabled" -> false) {
      for (
        compared <- Seq(
          "w.start >= timestamp_micros(0)",
          "w.end < timestamp_micros(0)",
          "w.end = timestamp_micros(60000000)"
        )
      ) {
        val sql =
          s"SELECT unix_micros(w.start), unix_micros(w.end), sum(x) FROM (SELECT window(t, '1 minute', '30 seconds') AS w, x FROM far) WHERE $compared GROUP BY w"
        assertEquals(rows(spark.sql(sql)), off(rows(spark.sql(sql))), sql)
      }
    }
  }

  test("a correlated subquery over hopping windows gets the filters of the query around it") {
    val sql =
      s"SELECT id, (SELECT max(n) FROM (SELECT k, count(*) AS n FROM events GROUP BY k, $hour) c WHERE c.k = o.k) " +
        "FROM (SELECT id, id % 3 AS k FROM range(9)) o WHERE o.k = 2"
    val data = same(spark.sql(sql))
    assertEquals(operators(data), 1)
    val filtered = data.queryExecution.optimizedPlan.collect {
      case filter: org.apache.spark.sql.catalyst.plans.logical.Filter => filter.condition.sql
    }
    assert(filtered.count(_.contains("2")) >= 2, data.queryExecution.optimizedPlan)
  }
}
