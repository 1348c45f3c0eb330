package org.slidewise.spark

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.execution.SlidingWindowExec

/** States that grow after there was room for them. */
class LargeStatesSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  test("one long string among short ones does not multiply by the frame's length") {
    val long = 4 << 20
    val data = spark.sql(s"""
      SELECT sum(length(l)), count(*) FROM (
        SELECT id, max(s) OVER (ORDER BY id ROWS BETWEEN 999 PRECEDING AND CURRENT ROW) AS l FROM (
          SELECT id, CASE WHEN id = 3998 THEN repeat('z', $long) ELSE 'short' END AS s FROM range(0, 4004, 1, 1)))
      """)
    val row = data.collect().head
    assertEquals((row.getLong(0), row.getLong(1)), (6L * long + 3998L * 5, 4004L))
    val peak = collectWithSubqueries(data.queryExecution.executedPlan) { case window: SlidingWindowExec =>
      window.metrics("peakMemory").value
    }
    assertEquals(peak.size, 1)
    assert(peak.head < (600L << 20), peak)
  }
}
