package org.slidewise.spark.planning

import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.window.{Final, Partial, WindowGroupLimitExec, WindowGroupLimitMode}

import org.slidewise.spark.{Slidewise, SparkSuite}
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.WindowTopRowsExec

class TopRowsStrategySuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private def query(rank: String, over: String = "PARTITION BY id % 7 ORDER BY id DESC", n: Int = 2): String =
    s"SELECT id FROM (SELECT id, $rank() OVER ($over) AS n FROM range(100)) WHERE n <= $n"

  private def selections(sql: String): Seq[(WindowGroupLimitMode, Int)] =
    collect(spark.sql(sql).queryExecution.executedPlan) { case top: WindowTopRowsExec =>
      (top.mode, top.limit)
    }

  private def left(sql: String): Boolean =
    selections(sql).isEmpty &&
      collect(spark.sql(sql).queryExecution.executedPlan) { case limit: WindowGroupLimitExec =>
        limit
      }.nonEmpty

  for (rank <- Seq("row_number", "rank", "dense_rank"))
    test(s"$rank is selected before and after the shuffle") {
      assertEquals(selections(query(rank)), Seq((Final, 2), (Partial, 2)))
      val ids = spark.sql(query(rank)).collect().map(_.getLong(0)).sorted.toSeq
      assertEquals(ids, (86L to 99L).toSeq)
    }

  test("EXPLAIN names the operator, the window and the limit") {
    val top =
      collect(spark.sql(query("rank", "PARTITION BY id % 7 ORDER BY id % 5")).queryExecution.executedPlan) {
        case top: WindowTopRowsExec => top
      }.head
    val text = top.simpleString(100).replaceAll("#\\d+L?", "")
    assert(text.matches("""WindowTopRows \[_w\d\], \[_w\d ASC NULLS FIRST\], rank\(_w\d\), 2, Final"""), text)
  }

  test("windows without partition keys and limits beyond those of Spark are left to Spark") {
    assert(left(query("rank", "ORDER BY id")))
    assertEquals(selections(query("row_number", n = 1001)), Nil)
    spark.conf.set("spark.sql.optimizer.windowGroupLimitThreshold", "10000")
    try assert(left(query("row_number", n = 5000).replace("100)", "100000)")))
    finally spark.conf.unset("spark.sql.optimizer.windowGroupLimitThreshold")
  }

  for (setting <- Seq(SlidewiseSettings.Enabled, SlidewiseSettings.TopRows))
    test(s"$setting = false leaves them to Spark") {
      spark.conf.set(setting, "false")
      try assert(left(query("row_number")))
      finally spark.conf.unset(setting)
    }

  test("rows that come in the window's order are left to Spark, which streams them") {
    val sql = query("row_number").replace(
      "range(100)",
      "(SELECT id FROM range(100) DISTRIBUTE BY id % 7 SORT BY id % 7, id DESC)"
    )
    for (adaptive <- Seq(true, false)) withSettings("spark.sql.adaptive.enabled" -> adaptive) {
      assert(left(sql))
      assertEquals(spark.sql(sql).collect().map(_.getLong(0)).sorted.toSeq, (86L to 99L).toSeq)
    }
  }

  test("rows are selected once where they need no shuffle") {
    def distributed(order: String) =
      query("row_number").replace(
        "range(100)",
        s"(SELECT id FROM range(100) DISTRIBUTE BY id % 7 SORT BY $order)"
      )
    for (adaptive <- Seq(true, false)) withSettings("spark.sql.adaptive.enabled" -> adaptive) {
      val (inOrder, inOther) = (distributed("id % 7, id DESC"), distributed("id % 7, id"))
      assertEquals(selections(inOther), Seq((Final, 2)))
      val limits = collect(spark.sql(inOrder).queryExecution.executedPlan) {
        case limit: WindowGroupLimitExec =>
          limit.mode
      }
      assertEquals(limits, Seq[WindowGroupLimitMode](Final))
      assertEquals(spark.sql(inOther).collect().map(_.getLong(0)).sorted.toSeq, (86L to 99L).toSeq)
    }
  }

  test("install in a running session adds the strategy") {
    val session = spark.newSession()
    session.experimental.extraStrategies = Nil
    Slidewise.install(session)
    assert(session.sessionState.planner.strategies.contains(TopRowsStrategy))
  }
}
