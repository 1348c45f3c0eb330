package org.slidewise.spark.execution

import scala.util.{Failure, Success, Try}

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings

/** Sums and means of decimals that exceed their type, where Spark would aggregate groups. */
class DecimalsOfGroupsSuite extends SparkSuite {
  // The sum of some 11,000 rows exceeds the type. Their mean does not.
  private lazy val tables: Unit = {
    spark
      .range(20000)
      .selectExpr(
        "1 AS k",
        "timestamp_micros(id * 1000 * 400) AS ts",
        "CAST(9e33BD * (1 + id / 100000) AS DECIMAL(38, 0)) AS v"
      )
      .createOrReplaceTempView("e")
    spark
      .range(1, 9)
      .selectExpr("id", "1 AS k", "timestamp_seconds(id * 1000) AS ts")
      .createOrReplaceTempView("l")
  }

  private val range = "e.k = l.k AND e.ts < l.ts"

  private def outcome(sql: String): String = Try(spark.sql(sql).collect()) match {
    case Success(rows)  => rows.map(_.toString).sorted.mkString("\n")
    case Failure(error) =>
      Iterator
        .iterate(error)(_.getCause)
        .takeWhile(_ != null)
        .map(_.getMessage)
        .map("\\[([A-Z_]+)".r.findFirstMatchIn)
        .collectFirst { case Some(found) => found.group(1) }
        .getOrElse(throw error)
  }

  private def planOf(sql: String): String = spark.sql(sql).queryExecution.executedPlan.toString

  for {
    function <- Seq("sum", "avg", "try_sum", "try_avg", "sum of distinct values", "sum beside the greatest")
    (form, operator, sql) <- {
      val call = function match {
        case "sum of distinct values"  => "sum(DISTINCT e.v)"
        case "sum beside the greatest" => "sum(e.v) + max_by(e.v, e.v)"
        case name                      => s"$name(e.v)"
      }
      Seq(
        (
          "LATERAL",
          "WindowJoin",
          s"SELECT id, s FROM l LEFT JOIN LATERAL (SELECT $call AS s FROM e WHERE $range)"
        ),
        (
          "a join and GROUP BY",
          "WindowJoin",
          s"SELECT id, $call FROM l LEFT JOIN e ON $range GROUP BY l.id, l.k, l.ts"
        ),
        (
          "hopping windows",
          "HoppingWindow",
          s"SELECT window.start, $call FROM e GROUP BY window(ts, '4000 seconds', '1000 seconds')"
        )
      ).filter {
        case ("LATERAL", _, _)         => function == "sum"
        case ("hopping windows", _, _) => function != "sum of distinct values"
        case _                         => true
      }
    }
    ansi <- if (function.startsWith("try_")) Seq(true) else Seq(true, false)
  } test(s"$function of decimals in $form, ${if (ansi) "ANSI" else "not ANSI"}") {
    tables
    withSettings("spark.sql.ansi.enabled" -> ansi) {
      assert(planOf(sql).contains(operator), planOf(sql))
      val ours = outcome(sql)
      val sparks = withSettings(SlidewiseSettings.Enabled -> false)(outcome(sql))
      assertEquals(ours, sparks)
      assertEquals(ours == "ARITHMETIC_OVERFLOW", ansi && !function.startsWith("try_"), ours)
    }
  }
}
