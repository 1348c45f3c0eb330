package org.slidewise.spark.execution

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.task.WindowMetrics

/** [[MultisetMemory]] with Spark's pages on the heap. */
class MultisetMemorySuite extends MultisetMemory

/** [[MultisetMemory]] with Spark's pages off-heap. */
class OffHeapMultisetMemorySuite extends MultisetMemory {
  override protected def settings: Map[String, String] = super.settings ++
    Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> (24L << 20).toString)
}

/** DISTINCT aggregates whose distinct values take more memory than a task has; those of a frame fit. */
abstract class MultisetMemory extends SparkSuite with AdaptiveSparkPlanHelper {

  override protected def settings: Map[String, String] =
    Map("spark.testing.memory" -> (40L << 20).toString, "spark.testing.reservedMemory" -> "0")

  private val Rows = 60000

  private def outcome(value: String, sorts: Boolean): (Long, Map[String, Long]) = {
    val keys = if (sorts) "PARTITION BY id % 1" else ""
    val data = spark.sql(
      s"SELECT count_if(a = least(id + 1, 10)) FROM (SELECT id, count(DISTINCT $value) OVER " +
        s"($keys ORDER BY id ROWS 9 PRECEDING) AS a FROM range(0, $Rows, 1, 1))"
    )
    val right = data.collect().head.getLong(0)
    collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w } match {
      case Seq(window) => (right, window.metrics.map { case (name, metric) => name -> metric.value })
      case others      => fail(s"${others.size} operators of Slidewise")
    }
  }

  private def long(id: String) = s"repeat(lpad(cast($id AS string), 8, '0'), 100)"

  test("rows that come in order whose dictionary does not fit are evaluated row by row from there on") {
    val (right, metrics) = outcome(long("id"), sorts = false)
    assertEquals(right, Rows.toLong)
    assertEquals(metrics(WindowMetrics.Fallbacks), 1L)
    assertEquals(metrics(WindowMetrics.Recalculated), 0L)
  }

  test("a dictionary of few values fits, however many rows there are") {
    val (_, metrics) = outcome(long("id % 10"), sorts = false)
    assertEquals(metrics(WindowMetrics.Fallbacks), 0L)
  }

  test("rows whose dictionary does not fit are sorted externally, and evaluated row by row") {
    val (right, metrics) = outcome(long("id"), sorts = true)
    assertEquals(right, Rows.toLong)
    assertEquals(metrics(WindowMetrics.Fallbacks), 1L)
    assertEquals(metrics(WindowMetrics.Recalculated), 0L)
  }
}
