package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.HoppingWindowExec

/** A table of events, and its queries of hopping windows. */
abstract class HoppingEvents extends SparkSuite with AdaptiveSparkPlanHelper {

  override def beforeAll(): Unit = {
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark
      .range(0, 300, 1, 3)
      .selectExpr(
        "id",
        "if(id % 17 = 0, NULL, timestamp_seconds(pmod(xxhash64(id), 7200) - 3600)) AS t",
        "id % 3 AS k",
        "if(id % 5 = 0, NULL, id % 7) AS x",
        "0.0D * (1 - 2 * (id % 2)) AS zero"
      )
      .createOrReplaceTempView("events")
  }

  protected val hour = "window(t, '1 hour', '7 minutes')"

  protected def rows(data: DataFrame): Seq[String] = data.collect().map(_.toString).sorted.toSeq

  protected def off[T](body: => T): T = withSettings(SlidewiseSettings.Enabled -> "false")(body)

  /** The number of Slidewise's operators of hopping windows. */
  protected def operators(data: DataFrame): Int =
    collectWithSubqueries(data.queryExecution.executedPlan) { case hopping: HoppingWindowExec =>
      hopping
    }.size

  /** The query with Slidewise, whose rows are the same without. */
  protected def same(query: => DataFrame): DataFrame = {
    val on = query
    val found = rows(on)
    assertEquals(found, off(rows(query)))
    assert(found.nonEmpty, "a query without rows shows nothing")
    on
  }
}
