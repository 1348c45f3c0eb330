package org.slidewise.spark.execution.task

import org.slidewise.spark.SparkSuite

class WindowMeasuresSuite extends SparkSuite {

  test("the first row is timed as seldom as any other") {
    val timed = inTask { () =>
      val metrics = Map
        .empty[String, org.apache.spark.sql.execution.metric.SQLMetric]
        .withDefault(_ => new org.apache.spark.sql.execution.metric.SQLMetric("sum"))
      (1 to 6400).map { seed =>
        val measures = new WindowMeasures(metrics, Tasks.resources(), seed * 0x9e3779b97f4a7c15L)
        if (measures.begin() != 0L) 1 else 0
      }.sum
    }
    assert(timed > 30 && timed < 200, timed) // about 1 in 127
  }

  test("about one row in 64 is timed") {
    val timed = inTask { () =>
      val metrics = Map
        .empty[String, org.apache.spark.sql.execution.metric.SQLMetric]
        .withDefault(_ => new org.apache.spark.sql.execution.metric.SQLMetric("sum"))
      val measures = new WindowMeasures(metrics, Tasks.resources(), 42L)
      (1 to 64000).count { _ =>
        val begin = measures.begin()
        measures.end(begin, 1L)
        begin != 0L
      }
    }
    assert(timed > 800 && timed < 1200, timed)
  }
}
