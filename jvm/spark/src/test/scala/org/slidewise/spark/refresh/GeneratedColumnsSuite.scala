package org.slidewise.spark.refresh

import scala.util.Random

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.types._

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.shims.{LogicalData, SparkSessions}

/** The filter by generated columns keeps each row in a range of the order key, and leaves out most of the others. */
class GeneratedColumnsSuite extends SparkSuite {
  private val Zones =
    Seq("UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe")
  private val Day = 86400L
  private val Step = 1200L

  // Clocks go back within these days: in Sao Paulo in 2018, at midnight, and else in 2025 and 2026.
  private val Starts = Seq(1518825600L, 1761264000L, 1761955200L, 1774918800L)

  /** Each with the seconds that values may lie beside the range: the length of what has one value, and clocks that go back. */
  private val OfTime = Seq(
    Map("c" -> "CAST(ts AS DATE)") -> Day,
    Map("c" -> "to_date(ts)") -> Day,
    Map("c" -> "CAST(CAST(ts AS DATE) AS STRING)") -> Day,
    Map("c" -> "date_trunc('HOUR', ts)") -> 3600L,
    Map("c" -> "date_trunc('WEEK', ts)") -> 7 * Day,
    Map("c" -> "trunc(CAST(ts AS DATE), 'MM')") -> 31 * Day,
    Map("c" -> "date_format(ts, 'yyyy-MM-dd')") -> Day,
    Map("c" -> "date_format(ts, 'yyyyMMddHH')") -> 3600L,
    Map("c" -> "date_add(CAST(ts AS DATE), 3)") -> Day,
    Map("c" -> "unix_seconds(ts)") -> 1L,
    Map("c" -> "unix_seconds(ts) DIV 7200") -> 7200L,
    Map("c" -> "CAST(ts AS TIMESTAMP_NTZ)") -> 1L,
    Map("y" -> "year(ts)", "m" -> "month(ts)") -> 31 * Day,
    Map("h" -> "hour(ts)", "d" -> "day(ts)", "y" -> "year(ts)", "m" -> "month(ts)") -> 3600L
  )

  private def eventsOf(table: String, columns: Map[String, String]): DataFrame = {
    val names = columns.map { case (name, sql) => s"$sql AS $name" }
    spark.sql(s"SELECT *, ${names.mkString(", ")} FROM ($table)")
  }

  /** The rows that the filter keeps; None if there is none. */
  private def kept(
      rows: DataFrame,
      columns: Map[String, String],
      order: String,
      range: KeyRange,
      keepNulls: Boolean
  ): Option[DataFrame] = {
    val table = SparkSessions.queryOf(rows).analyzed
    val generated = GeneratedColumns.of(spark, Seq(table -> columns))
    val key = table.output.find(_.name == order).get
    val pruned = generated.pruned(table, table, key, range, keepNulls)
    if (pruned eq table) None else Some(LogicalData.of(spark, pruned))
  }

  for ((columns, slack) <- OfTime; zone <- Zones)
    test(s"a range of time, ${columns.values.mkString(", ")}, $zone") {
      withSettings("spark.sql.session.timeZone" -> zone) {
        val random = new Random(s"$columns $zone".hashCode.toLong)
        for (start <- Starts) {
          val table =
            s"SELECT timestamp_seconds($start + id * $Step) AS ts, $start + id * $Step AS at FROM range(400)"
          val events = eventsOf(table, columns)
          for (_ <- 0 until 3) {
            val first = start + random.nextInt(300) * Step
            val last = first + random.nextInt(90) * Step
            def limit(seconds: Long) = Some(Literal(seconds * 1000000L, TimestampType))
            val found = kept(events, columns, "ts", KeyRange(limit(first), limit(last)), keepNulls = false)
            val ats = found.getOrElse(fail("no filter")).collect().map(_.getAs[Long]("at")).toSet
            val all = (0 until 400).map(start + _ * Step)
            assertEquals(all.filter(at => at >= first && at <= last).filterNot(ats).toList, Nil)
            // Clocks go back by two hours at most, and values at both ends are whole.
            assertEquals(
              ats.filter(at => at < first - slack - 7200 || at > last + slack + 7200),
              Set.empty[Long]
            )
          }
        }
      }
    }

  for ((columns, _) <- OfTime)
    test(s"a range without an end, ${columns.values.mkString(", ")}") {
      val table =
        "SELECT IF(id % 50 = 0, NULL, timestamp_seconds(1761264000 + id * 7200)) AS ts, id FROM range(400)"
      val start = Some(Literal((1761264000L + 200 * 7200) * 1000000L, TimestampType))
      kept(eventsOf(table, columns), columns, "ts", KeyRange(start, None), keepNulls = true).foreach { rows =>
        val ids = rows.collect().map(_.getAs[Long]("id")).toSet
        assertEquals((0L until 400L).filter(id => id >= 200 || id % 50 == 0).filterNot(ids).toList, Nil)
        assert(ids.size < 400)
      }
    }

  test("a range of whole numbers") {
    val columns = Map("c" -> "n DIV 100")
    val events = eventsOf("SELECT CAST(id - 500 AS INT) AS n FROM range(1000)", columns)
    val rows =
      kept(events, columns, "n", KeyRange(Some(Literal(-50L)), Some(Literal(250L))), keepNulls = false)
    assertEquals(rows.get.collect().map(_.getAs[Int]("n")).toSeq, -99 to 299)
    val far = KeyRange(Some(Literal(Long.MinValue)), Some(Literal(250L)))
    assertEquals(kept(events, columns, "n", far, keepNulls = false).get.count(), 800L)
  }

  for (sql <- Seq("month(ts)", "date_format(ts, 'dd-MM-yyyy')", "hash(ts)", "-unix_seconds(ts)", "hour(ts)"))
    test(s"$sql is in another order than time: no filter") {
      val events = eventsOf("SELECT timestamp_seconds(id * 86400) AS ts FROM range(400)", Map("c" -> sql))
      val range = KeyRange(Some(Literal(0L, TimestampType)), Some(Literal(Day * 1000000L, TimestampType)))
      assertEquals(kept(events, Map("c" -> sql), "ts", range, keepNulls = false), None)
    }

  test("dates of years with more than four digits are in another order as text") {
    val columns = Map("c" -> "CAST(CAST(ts AS DATE) AS STRING)")
    val events = eventsOf("SELECT timestamp_seconds(253402300800 - 86400 * id) AS ts FROM range(4)", columns)
    val range = KeyRange(
      Some(Literal((253402300800L - 2 * Day) * 1000000L, TimestampType)),
      Some(Literal(253402300800L * 1000000L, TimestampType))
    )
    withSettings("spark.sql.session.timeZone" -> "UTC") {
      assertEquals(kept(events, columns, "ts", range, keepNulls = false), None)
    }
  }
}
