package org.slidewise.spark.execution.streams

import java.sql.Timestamp
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.{AnalysisException, Dataset, Row}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.streaming.StreamingQuery

import org.slidewise.{LongRun, OneOf}
import org.slidewise.spark.execution.streams.hopping.HoppingWindowStateExec
import org.slidewise.spark.shims.SparkStreaming.StreamingQueryWrapper

/** Queries that read one stream several times, each time through a window, against the same query over a table. */
class SharedInputSuite extends StreamSuite {
  override val munitTimeout: Duration = 10.minutes

  private val Views = Map(
    "rows" -> "SELECT k, ts, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING) AS s FROM events",
    "no key" -> "SELECT k, ts, count(*) OVER (ORDER BY ts RANGE INTERVAL 9 SECONDS PRECEDING) AS s FROM events",
    "ahead" -> ("SELECT k, ts, max(n) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN CURRENT ROW AND INTERVAL 7 SECONDS " +
      "FOLLOWING) AS s FROM events"),
    "hopping" -> ("SELECT k, window_time(w) AS ts, s FROM (SELECT k, window AS w, sum(n) AS s FROM events " +
      "GROUP BY k, window(ts, '10 seconds', '5 seconds'))"),
    "repartitioned" -> ("SELECT k, ts, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING) AS s " +
      "FROM (SELECT /*+ REPARTITION(3) */ * FROM events)"),
    "hopping over rows" -> ("SELECT k, window_time(w) AS ts, s FROM (SELECT k, window AS w, sum(s) AS s FROM " +
      "(SELECT k, ts, sum(n) OVER (PARTITION BY k ORDER BY ts ROWS 2 PRECEDING) AS s FROM events) " +
      "GROUP BY k, window(ts, '10 seconds', '5 seconds'))")
  )

  private val Uses = Map[String, (String, String) => String](
    "join" -> ((a, b) =>
      s"SELECT a.k, a.ts, a.s, b.t, b.u FROM ($a) a JOIN (SELECT k AS j, ts AS t, s AS u FROM ($b)) b " +
        "ON a.k = b.j AND b.t BETWEEN a.ts - INTERVAL 5 SECONDS AND a.ts"
    ),
    "three below hopping" -> ((a, b) =>
      s"SELECT k, window.end AS ts, sum(s) AS t, count(*) AS c " +
        s"FROM ($a UNION ALL $a UNION ALL $b) GROUP BY k, window(ts, '20 seconds', '10 seconds')"
    ),
    "two below Spark's aggregation" -> ((a, b) =>
      s"SELECT k, window.end AS ts, sum(s) AS t, count(*) AS c " +
        s"FROM ($a UNION ALL $b) GROUP BY k, window(ts, '20 seconds')"
    ),
    "two below a window" -> ((a, b) =>
      "SELECT k, ts, s, sum(s) OVER (PARTITION BY k ORDER BY ts RANGE INTERVAL 6 SECONDS PRECEDING) AS t " +
        s"FROM ($a UNION ALL $b)"
    )
  )

  private def planOf(query: StreamingQuery): SparkPlan =
    query.asInstanceOf[StreamingQueryWrapper].streamingQuery.lastExecution.executedPlan

  private def operators(plan: SparkPlan): Int = plan.collect {
    case over: StreamingSlidingWindowExec => over
    case hopping: HoppingWindowStateExec  => hopping
  }.size

  /** Events out of order by less than the watermark's delay, or in order; no two at the same time. */
  private def batches(random: Random, inOrder: Boolean): Seq[Seq[Event]] = {
    // One place for each event: a sort asks for the place of an event more than once.
    val places = (0 until 32).map(i => (i + (if (inOrder) 0 else 4 * random.nextDouble()), i))
    val seconds = places.sortBy(_._1).map { case (_, i) => 100 + 2 * i }
    val rows = seconds.map(second => (if (random.nextBoolean()) "a" else "b", second, random.nextInt(100)))
    rows.grouped(8).toSeq ++ Seq(1000, 2000, 3000).map(end => Seq(("a", end, 1)))
  }

  /** Rows before the events that only move the watermark. */
  private def early(rows: Iterable[Row]): Seq[String] =
    rows.filter(_.getAs[Timestamp]("ts").getTime < 500000L).map(_.toString).toSeq.sorted

  private def check(sql: String, seed: Int, mode: String, inCache: Boolean): Unit = {
    val source = events()
    val arriving = batches(new Random(seed), inOrder = mode == "eager")
    stream(source).createOrReplaceTempView("events")
    val rows = new ConcurrentLinkedQueue[Row]
    def receive(batch: Dataset[Row], number: Long): Unit = {
      val kept = if (inCache) batch.persist() else batch
      val received = kept.collect()
      if (inCache) {
        assertEquals(kept.count(), received.length.toLong, s"batch $number")
        kept.unpersist()
      }
      received.foreach(rows.add(_))
    }
    val query = withSettings("spark.slidewise.streaming.mode" -> mode) {
      spark
        .sql(sql)
        .writeStream
        .foreachBatch(receive _)
        .option("checkpointLocation", temporary().toString)
        .start()
    }
    try
      arriving.foreach { events =>
        source.addData(events)
        query.processAllAvailable()
        assert(operators(planOf(query)) >= 2, planOf(query).toString)
      }
    finally query.stop()
    val session = spark
    import session.implicits._
    arriving.flatten
      .toDF("k", "second", "n")
      .coalesce(1)
      .selectExpr("k", "timestamp_seconds(second) AS ts", "n")
      .createOrReplaceTempView("events")
    val expected = early(spark.sql(sql).collect())
    assert(expected.size > 5, expected)
    assertEquals(early(rows.asScala), expected, sql)
  }

  private val pairs = for {
    a <- Views.keys.toSeq.sorted
    b <- Views.keys.toSeq.sorted
    if a >= b
  } yield (a, b)

  test("an EXISTS over a stream is refused, as by Spark alone") {
    stream(events()).createOrReplaceTempView("events")
    val sql =
      s"SELECT * FROM (${Views("rows")}) a WHERE EXISTS (SELECT 1 FROM (${Views("rows")}) b WHERE a.k = b.k)"
    val errors = Seq("true", "false").map { on =>
      withSettings("spark.slidewise.enabled" -> on)(intercept[AnalysisException] {
        spark.sql(sql).writeStream.foreachBatch((_: Dataset[Row], _: Long) => ()).start()
      })
    }
    assertEquals(errors.map(_.getCondition).distinct, Seq("INVALID_SUBQUERY_EXPRESSION.STREAMING_QUERY"))
  }

  private val one = new OneOf(60)

  for ((use, sql) <- Uses.toSeq.sortBy(_._1); (a, b) <- pairs)
    test(one(s"$use: $a and $b"))(
      check(sql(Views(a), Views(b)), s"$use $a $b".hashCode, "append", inCache = false)
    )

  // An eager window drops rows that come after newer ones, as those of hopping windows do beside others.
  private def isInOrder(use: String, views: String*): Boolean =
    !views.contains("ahead") && (use != "two below a window" || views
      .map(_.contains("hopping"))
      .distinct
      .size == 1)

  for ((use, sql) <- Uses.toSeq.sortBy(_._1); (a, b) <- pairs if isInOrder(use, a, b))
    test(s"$use: $a and $b in eager mode, each batch of which the sink caches".tag(LongRun))(
      check(sql(Views(a), Views(b)), s"$use $a $b".hashCode, "eager", inCache = true)
    )
}
