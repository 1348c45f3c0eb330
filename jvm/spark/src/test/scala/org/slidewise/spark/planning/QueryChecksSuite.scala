package org.slidewise.spark.planning

import org.apache.spark.sql.AnalysisException

import org.slidewise.spark.{LogMessages, SparkSuite}
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.shims.SparkErrors

class QueryChecksSuite extends SparkSuite {
  private val MovingSum = "SELECT sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range(5)"

  // As if set by --conf: Spark checks no value at start-up.
  override protected def settings: Map[String, String] =
    Map(SlidewiseSettings.MaxStateSize -> "lots", "spark.slidewise.state.maxsiz" -> "1m")

  private def refusal(query: => Any): AnalysisException = intercept[AnalysisException](query)

  test("an invalid start-up value fails window queries in words, until it is corrected or Slidewise is off") {
    val error = refusal(spark.sql(MovingSum))
    assertEquals(SparkErrors.conditionOf(error), "SLIDEWISE_INVALID_SETTING")
    assert(error.getMessage.contains("spark.slidewise.state.maxSize = lots"), error.getMessage)

    assertEquals(spark.sql("SELECT sum(id) FROM range(5)").head().getLong(0), 10L)
    assertEquals(
      SparkErrors.conditionOf(refusal(spark.newSession().sql(MovingSum))),
      "SLIDEWISE_INVALID_SETTING"
    )

    spark.sql("SET spark.slidewise.enabled=false")
    assertEquals(
      LogMessages.during(assertEquals(spark.sql(MovingSum).collect().length, 5)).filter(isOurs),
      Nil
    )
    spark.conf.unset(SlidewiseSettings.Enabled)

    spark.conf.set(SlidewiseSettings.MaxStateSize, "1m")
    assertEquals(spark.sql(MovingSum).collect().length, 5)
  }

  test("an unknown key is logged once, with the nearest known one") {
    val twice = LogMessages.during {
      spark.sql("SET spark.slidewise.enable=false")
      spark.sql("SET spark.slidewise.enable=false")
      spark.sql(MovingSum)
    }
    assertEquals(
      twice.filter(isOurs),
      Seq(
        "The setting spark.slidewise.enable is unknown and has no effect. The nearest known setting is " +
          "spark.slidewise.enabled"
      )
    )
    spark.conf.set("spark.slidewise.statemaxsize", "1m")
    val ofQuery = LogMessages.during(spark.sql(MovingSum)).filter(isOurs)
    assertEquals(ofQuery.map(_.split(' ').last), Seq("spark.slidewise.state.maxSize"))
  }

  private def frame(order: String, lower: String, upper: String) =
    s"SELECT count(*) OVER (ORDER BY x RANGE BETWEEN $lower AND $upper) FROM (SELECT $order AS x FROM range(9))"

  for (order <- Seq("id", "cast(id as int)", "cast(id as decimal(9, 2))"))
    test(s"a frame of intervals over $order is refused") {
      val error = refusal(spark.sql(frame(order, "INTERVAL 7 DAYS PRECEDING", "CURRENT ROW")))
      assertEquals(SparkErrors.conditionOf(error), "SLIDEWISE_INTERVAL_FRAME_OVER_NUMBER")
      assert(error.getMessage.contains("INTERVAL '7' DAY PRECEDING"), error.getMessage)
      assert(error.getMessage.contains("\"x\""), error.getMessage)
      val ahead = refusal(spark.sql(frame(order, "CURRENT ROW", "INTERVAL '1-2' YEAR TO MONTH FOLLOWING")))
      assert(ahead.getMessage.contains("INTERVAL '1-2' YEAR TO MONTH FOLLOWING"), ahead.getMessage)
    }

  private val accepted = Seq(
    frame("id", "7 PRECEDING", "CURRENT ROW"),
    frame("id", "CAST(INTERVAL 7 DAYS AS BIGINT) PRECEDING", "CAST(INTERVAL 7 DAYS AS BIGINT) FOLLOWING"),
    frame("timestamp'2024-01-01' + id * INTERVAL 1 DAY", "INTERVAL 7 DAYS PRECEDING", "CURRENT ROW"),
    frame("timestamp_ntz'2024-01-01' + id * INTERVAL 1 DAY", "INTERVAL 2 MONTHS PRECEDING", "CURRENT ROW"),
    frame("id * INTERVAL 1 DAY", "INTERVAL 7 DAYS PRECEDING", "CURRENT ROW"),
    frame("id * INTERVAL 1 MONTH", "INTERVAL 2 MONTHS PRECEDING", "CURRENT ROW")
  ) ++ (if (BuiltFor.MINOR == "3.5") Nil // which refuses days over dates itself
        else Seq(frame("date'2024-01-01' + cast(id AS int)", "INTERVAL 7 DAYS PRECEDING", "CURRENT ROW")))
  accepted.foreach(query => test(s"accepted: $query")(assertEquals(spark.sql(query).collect().length, 9)))

  test("with Slidewise off, a frame of intervals over numbers is Spark's") {
    spark.conf.set(SlidewiseSettings.Enabled, "false")
    try assertEquals(spark.sql(frame("id", "INTERVAL 7 DAYS PRECEDING", "CURRENT ROW")).collect().length, 9)
    finally spark.conf.unset(SlidewiseSettings.Enabled)
  }

  private def isOurs(message: String) = message.toLowerCase.contains("slidewise")
}
