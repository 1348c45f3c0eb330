package org.slidewise.spark.execution

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.LongRun
import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.{MemoryMetrics, WindowMetrics}

/** [[MultisetMemory]] with Spark's pages on the heap. */
class MultisetMemorySuite extends MultisetMemory

/** [[MultisetMemory]] with Spark's pages off-heap. */
class OffHeapMultisetMemorySuite extends MultisetMemory {
  override protected def settings: Map[String, String] = super.settings ++
    Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> (24L << 20).toString)
}

/** DISTINCT aggregates and percentiles whose values take more memory than a task has; those of short frames fit. */
abstract class MultisetMemory extends SparkSuite with AdaptiveSparkPlanHelper {

  override protected def settings: Map[String, String] =
    Map("spark.testing.memory" -> (40L << 20).toString, "spark.testing.reservedMemory" -> "0")

  private val Rows = 60000

  private def distinct(value: String, sorts: Boolean): (Long, Map[String, Long]) =
    outcome(s"count(DISTINCT $value)", "least(id + 1, 10)", Rows, partition(sorts), "ROWS 9 PRECEDING")

  /** How often the result of `call` is `expected`, an expression over `id`; and the metrics of the operator. */
  private def outcome(
      call: String,
      expected: String,
      rows: Int,
      partition: String,
      frame: String
  ): (Long, Map[String, Long]) = {
    val keys = if (partition.isEmpty) "" else s"PARTITION BY $partition"
    val data = spark.sql(
      s"SELECT count_if(a = $expected) FROM " +
        s"(SELECT id, $call OVER ($keys ORDER BY id $frame) AS a FROM range(0, $rows, 1, 1))"
    )
    val right = data.collect().head.getLong(0)
    collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w } match {
      case Seq(window) => (right, window.metrics.map { case (name, metric) => name -> metric.value })
      case others      => fail(s"${others.size} operators of Slidewise")
    }
  }

  private def long(id: String, times: Int = 100) = s"repeat(lpad(cast($id AS string), 8, '0'), $times)"

  test("rows that come in order whose dictionary does not fit are evaluated row by row from there on") {
    val (right, metrics) = distinct(long("id"), sorts = false)
    assertEquals(right, Rows.toLong)
    assertEquals(metrics(WindowMetrics.Fallbacks), 1L)
    assertEquals(metrics(WindowMetrics.Recalculated), 0L)
  }

  test("a dictionary of few values fits, however many rows there are") {
    val (_, metrics) = distinct(long("id % 10"), sorts = false)
    assertEquals(metrics(WindowMetrics.Fallbacks), 0L)
  }

  test("rows whose dictionary does not fit are sorted externally, and evaluated row by row") {
    val (right, metrics) = distinct(long("id"), sorts = true)
    assertEquals(right, Rows.toLong)
    assertEquals(metrics(WindowMetrics.Fallbacks), 1L)
    assertEquals(metrics(WindowMetrics.Recalculated), 0L)
  }

  private def partition(sorts: Boolean) = if (sorts) "id % 1" else ""
  private def how(sorts: Boolean) = if (sorts) "rows that are sorted" else "rows that come in order"

  for (sorts <- Seq(false, true))
    test(s"percentiles of short frames over more ${how(sorts)} than fit") {
      val n = 600000
      val (right, metrics) =
        outcome("median(id)", "id - least(id, 9) / 2.0D", n, partition(sorts), "ROWS 9 PRECEDING")
      assertEquals(right, n.toLong)
      assertEquals(metrics(WindowMetrics.Recalculated), 0L)
      if (sorts) assert(metrics(MemoryMetrics.Spill) > 0L, metrics)
      else assert(metrics(MemoryMetrics.Peak) < (4L << 20), metrics)
    }

  for (
    (function, call, expected, n, room) <- Seq(
      ("percentiles", "median(id)", "id / 2.0D", 200000, "leave no memory"),
      ("percentiles", "median(id)", "id / 2.0D", 600000, "exceed the memory"),
      ("DISTINCT", s"count(DISTINCT ${long("id", times = 2500)})", "id + 1", 750, "leave no memory"),
      ("DISTINCT", s"count(DISTINCT ${long("id", times = 2500)})", "id + 1", 2000, "exceed the memory")
    );
    sorts <- Seq(false, true)
  )
    test(s"$function of growing frames whose values $room for ${how(sorts)}") {
      val (right, metrics) = outcome(call, expected, n, partition(sorts), "ROWS UNBOUNDED PRECEDING")
      assertEquals(right, n.toLong)
      assertEquals(metrics(WindowMetrics.Recalculated), 0L)
      // Off the heap there is memory for the rows.
      if (!settings.contains("spark.memory.offHeap.enabled"))
        assert(metrics(MemoryMetrics.Spill) > 0L, metrics)
    }

  // Functions other than `count` would go over the rows of a frame, and keep their values in memory up to a part of the heap.
  for (
    (what, call, expected, frame, sorted) <- Seq(
      ("counts of moving", "count(DISTINCT v)", "least(id div 3 + 1, 1200)", "ROWS 1199 PRECEDING", 3L),
      (
        "counts of shrinking",
        "count(DISTINCT v)",
        "3000 - id div 3",
        "ROWS BETWEEN 0 FOLLOWING AND UNBOUNDED FOLLOWING",
        3L
      ),
      (
        "filtered counts of whole",
        "count(DISTINCT v) FILTER (WHERE id % 2 = 0)",
        "1500",
        "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        3L
      ),
      (
        "other functions of whole",
        "max_by(DISTINCT id, v)",
        "8997 + id % 3",
        "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
        0L
      )
    )
  )
    test(s"$what frames of several partitions, whose distinct values exceed the memory") {
      assume(windowsFilter || !call.contains("FILTER"))
      val (right, metrics) =
        outcome(call.replace("v)", long("id", times = 2500) + ")"), expected, 9000, "id % 3", frame)
      assertEquals(right, 9000L)
      assertEquals(metrics(WindowMetrics.Recalculated), 0L)
      assertEquals(metrics(WindowMetrics.Sorted), sorted)
    }

  test("values of any size exceed the memory, with another remainder of it each") {
    for (times <- 1500 to 1590 by LongRun.orLess(9, 30)) {
      val call = s"count(DISTINCT ${long("id", times)})"
      val (right, metrics) = outcome(call, "id + 1", 2400, partition = "", "ROWS UNBOUNDED PRECEDING")
      assertEquals(right, 2400L, s"$times")
      assertEquals(metrics(WindowMetrics.Sorted), 1L)
    }
  }

  test("two frames of rows that come in order, whose distinct values both exceed the memory") {
    val value = long("id % 1800", times = 2500)
    val data = spark.sql(s"""
      SELECT count_if(a = least(id + 1, 1800) AND b = least(id + 1, 1400) AND c = id * 7), max(m)
      FROM (SELECT id, count(DISTINCT $value) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS a,
                   count(DISTINCT $value) OVER (ORDER BY id ROWS 1399 PRECEDING) AS b, id * 7 AS c,
                   max(id) OVER (ORDER BY id ROWS 2 PRECEDING) AS m
            FROM range(0, 3000, 1, 1))""")
    assertEquals(data.collect().toSeq.map(_.toSeq), Seq(Seq[Any](3000L, 2999L)))
    val sorted = collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec =>
      w.metrics(WindowMetrics.Sorted).value
    }
    assertEquals(sorted, Seq(2L))
  }
}
