package org.slidewise.spark.execution

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.task.MemoryMetrics

/** Windows without an order whose rows take more memory than a task has: they are sorted, and spill. */
class GroupedRowsMemorySuite extends SparkSuite with AdaptiveSparkPlanHelper {

  override protected def settings: Map[String, String] =
    Map("spark.testing.memory" -> (40L << 20).toString, "spark.testing.reservedMemory" -> "0")

  private def sql(rows: Int, keys: Int) =
    s"""SELECT sum(s % 1009 * (id % 97)), min(n), max(n), sum(hash(a)) FROM (
      SELECT id, sum(id) OVER (PARTITION BY id % $keys) AS s, count(*) OVER (PARTITION BY id % $keys) AS n,
             avg(id) OVER (PARTITION BY id % $keys) AS a
      FROM range(0, $rows, 1, 1))"""

  for ((rows, keys, spills) <- Seq((20000, 5000, false), (1000000, 7, true), (1000000, 300000, true)))
    test(s"$rows rows of $keys partitions") {
      val data = spark.sql(sql(rows, keys))
      val answer = data.collect().map(_.toString).toSeq
      collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w } match {
        case Seq(window) =>
          assert(window.simpleString(1000).contains("groups by hash"), window.simpleString(1000))
          assertEquals(window.metrics(MemoryMetrics.Spill).value > 0, spills)
        case others => fail(s"${others.size} operators of Slidewise")
      }
      withSettings(SlidewiseSettings.Enabled -> false) {
        assertEquals(answer, spark.sql(sql(rows, keys)).collect().map(_.toString).toSeq)
      }
    }
}
