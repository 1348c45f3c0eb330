package org.slidewise.spark.execution

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.Await
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.Future
import scala.concurrent.duration.DurationInt

import org.apache.spark.TaskContext
import org.apache.spark.sql.{functions => F, DataFrame, Encoders}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec

import org.slidewise.spark.{Gcd, Joined, SparkSuite, TopTwo}
import org.slidewise.spark.config.SlidewiseSettings

/** The operator's plan, work, errors and users' functions. */
class HoppingWindowExecSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private val events = "SELECT timestamp_seconds(id * 7) AS t, id % 3 AS k, id AS x FROM range(0, 3000, 1, 3)"

  private def operators(data: DataFrame): Seq[HoppingWindowExec] =
    collectWithSubqueries(data.queryExecution.executedPlan) { case hopping: HoppingWindowExec => hopping }

  private def off[T](body: => T): T = withSettings(SlidewiseSettings.Enabled -> "false")(body)

  private def rows(data: DataFrame): Seq[String] = data.collect().map(_.toString).sorted.toSeq

  private def hopping(
      size: String = "'10 minutes', '1 minute'",
      call: String = "sum(x)",
      keys: String = "k"
  ): String =
    s"SELECT window(t, $size) AS w, $keys, $call AS a FROM ($events) GROUP BY window(t, $size), $keys"

  for (size <- Seq("'1 hour', '1 minute'", "'1 hour', '7 minutes'", "'90 seconds', '60 seconds'"))
    for (call <- Seq("sum(x)", "max(x)", "approx_count_distinct(x)"))
      test(s"$call over $size: at most four combines for each pane") {
        val data = spark.sql(hopping(size, call))
        assertEquals(rows(data), off(rows(spark.sql(hopping(size, call)))))
        val metrics = operators(data).head.metrics.map { case (name, metric) => name -> metric.value }
        assert(metrics("panes") > 0 && metrics("combines") > 0, metrics)
        assert(metrics("combines") <= 4 * metrics("panes"), metrics)
        assertEquals(metrics("windows"), metrics("numOutputRows"))
        assertEquals(metrics("numOutputRows"), data.count())
        assertEquals(metrics("recalculatedWindows"), 0L)
        assert(metrics("peakMemory") > 0, metrics)
      }

  private def methods(data: DataFrame): Seq[String] = operators(data).flatMap(_.plan.methods).map(_.toString)

  test("quantiles slide a multiset over the values of the panes") {
    for (call <- Seq("percentile(x, 0.3)", "median(x / 7D)", "percentile_approx(x, array(0.1, 0.5))")) {
      val data = spark.sql(hopping("'1 hour', '1 minute'", call))
      assertEquals(methods(data), Seq("sliding-multiset"))
      assertEquals(rows(data), off(rows(spark.sql(hopping("'1 hour', '1 minute'", call)))))
      val metrics = operators(data).head.metrics.map { case (name, metric) => name -> metric.value }
      assertEquals(metrics("recalculatedWindows"), 0L)
      assert(metrics("combines") <= 2 * metrics("panes"), metrics)
    }
  }

  test("panes that leave after windows that a filter drops are still there") {
    // Over 1,024 windows lie between two releases of panes, which fill several pages.
    for (call <- Seq("percentile(x, 0.5)", "percentile_approx(x, 0.5, 1000000)")) {
      val data = spark.sql(
        s"""SELECT unix_timestamp(w.start) AS s, a FROM (
          SELECT window(t, '2000 seconds', '1 second') AS w, $call AS a
          FROM (SELECT timestamp_seconds(id) AS t, id AS x FROM range(0, 20000, 1, 2)) GROUP BY window(t, '2000 seconds', '1 second'))
          WHERE pmod(unix_timestamp(w.start), 1500) IN (0, 1, 700)"""
      )
      assertEquals(methods(data), Seq("sliding-multiset"))
      val found = data.collect().map(row => row.getLong(0) -> row.get(1).toString.toDouble).toMap
      assertEquals(
        found.keySet,
        (-1999L until 20000L).filter(s => Set(0, 1, 700)(Math.floorMod(s, 1500))).toSet
      )
      found.foreach { case (start, median) =>
        val (first, last) = (math.max(0L, start), math.min(start + 1999, 19999L))
        val exact = (first + last) / 2.0
        assert(median == exact || median == math.floor(exact), (call, start, median, exact))
      }
    }
  }

  test("summaries with NaN are merged for each window") {
    val data = spark.sql(hopping(call = "percentile_approx(if(x % 500 = 0, double('NaN'), x), array(0, 1))"))
    assertEquals(data.count(), spark.sql(hopping()).count())
    data.collect()
    val metrics = operators(data).head.metrics
    assert(metrics("recalculatedWindows").value > 0L)
  }

  for (accuracy <- Seq(10, 100))
    test(s"percentile_approx of large panes keeps its error, 1 / $accuracy") {
      val events =
        "SELECT id AS n, timestamp_micros(id * 10000) AS t, pmod(hash(id), 100000) AS x FROM range(0, 60000, 1, 3)"
      val sizes = "'5 minutes', '1 minute'"
      val fractions = Seq(0.0, 0.01, 0.3, 0.5, 0.77, 1.0)
      val data = spark.sql(
        s"SELECT unix_seconds(window(t, $sizes).start), percentile_approx(x, array(${fractions.mkString(", ")}), $accuracy) " +
          s"FROM ($events) GROUP BY window(t, $sizes)"
      )
      assertEquals(methods(data), Seq("sliding-multiset"))
      val all =
        spark.sql(events).select("n", "x").collect().map(r => (r.getLong(0) * 10000L / 1000000L, r.getInt(1)))
      val found = data.collect()
      assertEquals(found.length, 14)
      found.foreach { row =>
        val start = row.getLong(0)
        val values = all.collect { case (second, x) if second >= start && second < start + 300 => x }.sorted
        fractions.zip(row.getSeq[Int](1)).foreach { case (fraction, answer) =>
          val rank = fraction * values.length
          val allowed = values.length.toDouble / accuracy + 1
          val (before, until) = (values.count(_ < answer), values.count(_ <= answer))
          assert(
            before <= rank + allowed && until >= rank - allowed,
            (start, fraction, answer, before, until, values.length)
          )
        }
      }
    }

  private def exchangesReused(sql: String): Int = {
    val data = spark.sql(sql)
    data.collect()
    collectWithSubqueries(data.queryExecution.executedPlan) { case reused: ReusedExchangeExec => reused }.size
  }

  for (adaptive <- Seq("true", "false"))
    test(s"equal aggregates share their exchange where Spark's do, adaptive $adaptive") {
      withSettings("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val size = "'10 minutes', '1 minute'"
        for (
          (other, shared) <- Seq(
            hopping(size) -> true,
            hopping(size, "max(x)") -> false,
            hopping("'10 minutes', '2 minutes'") -> false,
            hopping("'11 minutes', '1 minute'") -> false
          )
        ) {
          val sql =
            s"SELECT a.a, b.a FROM (${hopping(size)}) AS a JOIN ($other) AS b ON a.k = b.k AND a.w = b.w"
          assertEquals(rows(spark.sql(sql)), off(rows(spark.sql(sql))))
          assert(operators(spark.sql(sql)).nonEmpty, sql)
          assertEquals(exchangesReused(sql) > 0, shared, sql)
          assertEquals(off(exchangesReused(sql)) > 0, shared, sql)
        }
      }
    }

  test("plans are the same if they say the same") {
    def plan(sql: String) = operators(spark.sql(sql)).head
    assert(plan(hopping()).sameResult(plan(hopping())))
    for (
      other <- Seq(
        hopping("'10 minutes', '2 minutes'"),
        hopping("'11 minutes', '1 minute'"),
        hopping("'10 minutes', '1 minute', '3 seconds'"),
        hopping(call = "max(x)"),
        hopping(call = "sum(x) + 1"),
        hopping(keys = "k + 1"),
        s"SELECT * FROM (${hopping()}) WHERE w.start > timestamp'1970-01-01 01:00:00'"
      )
    )
      assert(!plan(hopping()).sameResult(plan(other)), other)
  }

  private def sums(values: String, size: String = "'10 seconds', '3 seconds'") =
    s"SELECT window(timestamp_seconds(s), $size).start AS w, sum(v) FROM (SELECT /*+ COALESCE(1) */ * FROM VALUES $values AS v(s, v)) GROUP BY window(timestamp_seconds(s), $size)"

  private def huge(sign: String) = s"cast('${sign}99999999999999999999999999999999999999' AS DECIMAL(38, 0))"

  for (
    (what, values) <- Seq(
      "long" -> "(0, 9223372036854775807L), (5, -1L), (6, 1L)",
      "decimal" -> s"(0, ${huge("")}), (5, ${huge("-")}), (6, ${huge("")}), (8, ${huge("-")})"
    );
    ansi <- Seq("true", "false")
  )
    test(s"sums of $what that overflow only if later panes are merged first, ANSI $ansi") {
      withSettings("spark.sql.ansi.enabled" -> ansi) {
        val data = spark.sql(sums(values))
        assertEquals(rows(data), off(rows(spark.sql(sums(values)))))
        assertEquals(operators(data).size, 1)
      }
    }

  test("the sum of later panes alone overflows, and that of all in their order does not") {
    val max = Long.MaxValue
    val sql = sums(s"(0, ${-max}L), (1, ${max}L), (2, ${max}L)", "'3 seconds', '1 second'")
    val kept = s"SELECT * FROM ($sql) WHERE w <= timestamp_seconds(0)"
    val data = spark.sql(kept)
    assertEquals(rows(data), off(rows(spark.sql(kept))))
    assertEquals(operators(data).size, 1)
  }

  test("a window whose sum overflows is Spark's error") {
    withSettings("spark.sql.ansi.enabled" -> "true") {
      val failing = sums(s"(0, ${Long.MaxValue}L), (5, 1L)")
      assertEquals(operators(spark.sql(failing)).size, 1)
      for (
        error <- Seq(
          intercept[Exception](spark.sql(failing).collect()),
          off(intercept[Exception](spark.sql(failing).collect()))
        )
      )
        assert(
          Iterator
            .iterate[Throwable](error)(_.getCause)
            .takeWhile(_ != null)
            .exists(_.isInstanceOf[ArithmeticException]),
          error
        )
    }
  }

  test("users' own aggregators") {
    spark.udf.register("joined", F.udaf(Joined, Encoders.STRING))
    spark.udf.register("top_two", F.udaf(TopTwo, Encoders.scalaLong))
    spark.udf.register("gcd", F.udaf(Gcd, Encoders.scalaLong))
    // One partition in the order of time, since the order of the rows is that of the strings.
    val sql =
      """SELECT window(t, '10 minutes', '3 minutes'), joined(cast(x AS string)), gcd(x * 12), top_two(x), gcd(x * 6) FILTER (WHERE x > 50)
         FROM (SELECT timestamp_seconds(id * 40) AS t, id AS x FROM range(0, 200, 1, 1)) GROUP BY 1"""
    val data = spark.sql(sql)
    assertEquals(rows(data), off(rows(spark.sql(sql))))
    assertEquals(operators(data).size, 1)
    withSettings(SlidewiseSettings.NeverMerge -> "top_two") {
      assertEquals(operators(spark.sql(sql)).size, 0)
      assertEquals(rows(spark.sql(sql)), rows(data))
    }
  }

  test("windows that a filter skips by the thousands") {
    val sql =
      """SELECT w.start, c, s, m, d FROM (
           SELECT window(timestamp_seconds(id), '200 seconds', '1 second') AS w, count(*) AS c, sum(id) AS s, max(id) AS m,
             approx_count_distinct(id) AS d FROM range(0, 9000, 1, 2) GROUP BY 1)
         WHERE w.start < timestamp_seconds(3) OR w.start > timestamp_seconds(8000) OR hash(w.start) % 977 = 0"""
    val data = spark.sql(sql)
    assertEquals(rows(data), off(rows(spark.sql(sql))))
    val operator = operators(data).head
    assert(operator.condition.isDefined, operator)
    assert(operator.metrics("windows").value > 5 * operator.metrics("numOutputRows").value, operator.metrics)
  }

  test("a cancelled task stops among windows that no filter keeps") {
    spark.udf.register("held", F.udf((_: java.sql.Timestamp) => Gate.hold()))
    val sql =
      """SELECT w FROM (SELECT window(timestamp_seconds(id), '10 seconds', '1 second') AS w, count(*)
         FROM range(0, 400000, 1, 1) GROUP BY 1) WHERE held(w.start)"""
    val data = spark.sql(sql)
    assert(operators(data).head.condition.isDefined, data.queryExecution.executedPlan)
    val group = "hopping-cancelled"
    val running = Future {
      spark.sparkContext.setJobGroup(group, group, interruptOnCancel = false)
      data.collect()
    }
    assert(Gate.reached.await(2, TimeUnit.MINUTES), "no window was met")
    spark.sparkContext.cancelJobGroup(group)
    assert(Await.ready(running, 2.minutes).value.get.isFailure)
    // The task ends after its job.
    val deadline = 2.minutes.fromNow
    while (
      spark.sparkContext.statusTracker.getExecutorInfos.exists(_.numRunningTasks() > 0) && deadline
        .hasTimeLeft()
    )
      Thread.sleep(20)
    assert(Gate.calls.get < Gate.At + 3000, Gate.calls)
  }
}

/** Holds a task at a window until it is cancelled. */
object Gate {
  val At = 5000L
  val calls = new AtomicLong
  val reached = new CountDownLatch(1)

  def hold(): Boolean = {
    if (calls.incrementAndGet() == At) {
      reached.countDown()
      val deadline = 2.minutes.fromNow
      while (!TaskContext.get().isInterrupted() && deadline.hasTimeLeft()) Thread.sleep(10)
    }
    false
  }
}
