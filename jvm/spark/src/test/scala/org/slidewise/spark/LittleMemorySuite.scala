package org.slidewise.spark

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{HoppingWindowExec, SlidingWindowExec}
import org.slidewise.spark.plan.{EvaluationMethod, SortPlacement}

/** [[LittleMemory]] with Spark's pages on the heap. */
class LittleMemorySuite extends LittleMemory

/** [[LittleMemory]] with Spark's pages off-heap. */
class LittleOffHeapMemorySuite extends LittleMemory {
  override protected def settings: Map[String, String] = super.settings ++
    Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> (24L << 20).toString)
}

/**
 * Whole queries with far less memory than their rows and states need. The expected answer comes from an equivalent query that
 * Spark evaluates in linear time.
 */
abstract class LittleMemory extends SparkSuite with AdaptiveSparkPlanHelper {

  override protected def settings: Map[String, String] =
    Map("spark.testing.memory" -> (40L << 20).toString, "spark.testing.reservedMemory" -> "0")

  // Arrays that do not fit on the heap send rows to Spark's sorter, which does not count its spills with the operator.
  private val offHeap = settings.contains("spark.memory.offHeap.enabled")

  private val columns =
    Seq("id % 3 AS k", "(id * 7919) % 400009 AS t", "id", "repeat(cast(id AS string), 8) AS s")

  private val running = "OVER (PARTITION BY k ORDER BY t ROWS UNBOUNDED PRECEDING)"
  private val backwards = "OVER (PARTITION BY k ORDER BY t DESC ROWS UNBOUNDED PRECEDING)"
  private val shrinking = "OVER (PARTITION BY k ORDER BY t ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)"
  private val long = "OVER (PARTITION BY k ORDER BY t ROWS 99999 PRECEDING)"
  private val lastButLong = s"lag(r, 100000, 0L) OVER (PARTITION BY k ORDER BY t)"

  private def checksum(answer: String, rows: String = "rows") =
    s"SELECT count(*), sum(hash(id, a)) FROM (SELECT id, s, $answer AS a FROM $rows)"

  for (
    (what, slidewise, spark) <- Seq(
      (
        "a frame of 100,000 rows",
        checksum(s"sum(id) $long"),
        checksum(s"r - $lastButLong", s"(SELECT *, sum(id) $running AS r FROM rows)")
      ),
      ("a shrinking frame of strings", checksum(s"max(s) $shrinking"), checksum(s"max(s) $backwards")),
      (
        "a shrinking frame of sketches",
        checksum(s"approx_count_distinct(s) $shrinking"),
        checksum(s"approx_count_distinct(s) $backwards")
      )
    )
  )
    for (sort <- Seq(true, false))
      test(s"$what, sorted by ${if (sort) "Slidewise" else "Spark"}, spills and is right") {
        this.spark.conf.set(SlidewiseSettings.Sort, sort.toString)
        this.spark.range(0, 400000, 1, 4).selectExpr(columns: _*).createOrReplaceTempView("rows")
        val data = this.spark.sql(slidewise)
        val answer = data.collect().toSeq
        assertEquals(answer, this.spark.sql(spark).collect().toSeq)
        val windows = collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec =>
          w
        }
        assertEquals(windows.map(_.plan.sortPlacement == SortPlacement.InOperator), Seq(sort))
        if (sort && !offHeap || what.startsWith("a shrinking"))
          assert(windows.head.metrics("spillSize").value > 0, "nothing spilled")
      }

  test("a frame of 200,000 rows that come in order spills and is right") {
    spark.conf.unset(SlidewiseSettings.Sort)
    val order = "ORDER BY t"
    val all = columns.map(_.replace("400009", "800011"))
    spark.range(0, 800000, 1, 4).selectExpr(all: _*).createOrReplaceTempView("rows")
    val data = spark.sql(checksum(s"sum(id) OVER ($order ROWS 199999 PRECEDING)"))
    val expected = checksum(
      s"r - lag(r, 200000, 0L) OVER ($order)",
      s"(SELECT *, sum(id) OVER ($order ROWS UNBOUNDED PRECEDING) AS r FROM rows)"
    )
    val answer = data.collect().toSeq
    assertEquals(answer, spark.sql(expected).collect().toSeq)
    val windows = collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w }
    assertEquals(windows.map(_.plan.methods), Seq(Seq(EvaluationMethod.ArrayKernels)))
    if (!offHeap) assert(windows.head.metrics("spillSize").value > 0, "nothing spilled")
  }

  test("a hopping window of 1,000 panes of long strings spills and is right") {
    def long(id: String) = s"repeat(lpad(cast($id AS string), 8, '0'), 4000)"
    def windows(rows: String) = s"SELECT count(*), sum(hash(w, m)) FROM ($rows)"
    val window = "window(timestamp_seconds(id), '1000 seconds', '1 second')"
    val longest = s"SELECT $window AS w, max(${long("id")}) AS m FROM range(0, 3000, 1, 4) GROUP BY 1"
    val data = spark.sql(windows(s"SELECT w.start AS w, m FROM ($longest)"))
    val answer = data.collect().toSeq
    val last = long("least(id + 999, 2999)")
    val expected =
      spark.sql(windows(s"SELECT timestamp_seconds(id) AS w, $last AS m FROM range(-999, 3000, 1, 4)"))
    assertEquals(answer, expected.collect().toSeq)
    val operators = collectWithSubqueries(data.queryExecution.executedPlan) { case h: HoppingWindowExec => h }
    assertEquals(operators.size, 1)
    assert(operators.head.metrics("spillSize").value > 0, "nothing spilled")
  }
}
