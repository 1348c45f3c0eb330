package org.slidewise.spark.execution

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings

/** Moving frames over columns of Spark's sketches, each function on the Sparks that have it. */
class SketchWindowsSuite extends SparkSuite {

  for (
    (made, read) <- Seq(
      "hll_sketch_agg(x)" -> "hll_sketch_estimate(hll_union_agg(s) OVER w)",
      "theta_sketch_agg(x)" -> "theta_sketch_estimate(theta_union_agg(s) OVER w)",
      "theta_sketch_agg(x)" -> "theta_sketch_estimate(theta_intersection_agg(s) OVER w)",
      "kll_sketch_agg_bigint(x)" -> "kll_sketch_get_n_bigint(kll_merge_agg_bigint(s) OVER w)",
      "tuple_sketch_agg_integer(x, 1)" -> "tuple_sketch_estimate_integer(tuple_union_agg_integer(s) OVER w)",
      "tuple_sketch_agg_integer(x, 1)" -> "tuple_sketch_estimate_integer(tuple_intersection_agg_integer(s) OVER w)",
      "approx_top_k_accumulate(x, 100)" -> "sort_array(approx_top_k_estimate(approx_top_k_combine(s, 100) OVER w, 100))"
    )
  )
    test(read) {
      val called = "\\w+(?=\\()".r.findAllIn(made + read).toSeq
      assume(called.forall(spark.catalog.functionExists(_)), "a function of a later Spark")
      val sql = s"""SELECT g, $read AS a
        FROM (SELECT g, $made AS s FROM (SELECT id DIV 20 AS g, CAST(id % 30 AS INT) AS x FROM range(160)) GROUP BY g)
        WINDOW w AS (ORDER BY g ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) ORDER BY g"""
      val plan = spark.sql(sql).queryExecution.executedPlan.toString
      assert(plan.contains("SlidingWindow ["), plan)
      val answers = spark.sql(sql).collect().toSeq.map(_.toSeq)
      withSettings(SlidewiseSettings.Enabled -> false) {
        assertEquals(answers, spark.sql(sql).collect().toSeq.map(_.toSeq))
      }
      assertEquals(answers.size, 8)
    }
}
