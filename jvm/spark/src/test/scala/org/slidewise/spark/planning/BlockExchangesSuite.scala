package org.slidewise.spark.planning

import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.{AdaptiveSparkPlanHelper, AQEShuffleReadExec}
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeExec}

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.exchange.BlockExchangeExec

class BlockExchangesSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private def rows(n: Int) =
    s"(SELECT id, id % 7 AS k, repeat('x', CAST(id % 50 AS INT)) AS s, id * 0.5D AS x FROM range($n))"

  private val Running = "PARTITION BY k ORDER BY id"

  private def sum(n: Int, over: String = Running) = s"SELECT id, s, sum(x) OVER ($over) AS y FROM ${rows(n)}"

  private def found(sql: String): (Seq[Row], SparkPlan) = {
    val data = spark.sql(sql)
    (data.collect().toSeq.sortBy(_.toString), data.queryExecution.executedPlan)
  }

  private def blocks(plan: SparkPlan): Seq[BlockExchangeExec] = collect(plan) { case e: BlockExchangeExec =>
    e
  }
  private def others(plan: SparkPlan): Seq[SparkPlan] = collect(plan) { case e: ShuffleExchangeExec => e }
  private def reused(plan: SparkPlan): Seq[SparkPlan] = collect(plan) { case e: ReusedExchangeExec => e }

  for (adaptive <- Seq(true, false)) {
    def test(name: String)(body: => Any)(implicit line: munit.Location): Unit =
      super.test(s"$name, AQE $adaptive")(withSettings("spark.sql.adaptive.enabled" -> adaptive)(body))

    test("the rows of a window come in blocks, with the same answer") {
      val (on, plan) = found(sum(10000))
      assertEquals((blocks(plan).size, others(plan).size), (1, 0), clue = plan)
      val metrics = blocks(plan).head.metrics
      assertEquals(metrics("numRows").value, 10000L)
      assert(metrics("shuffleRecordsWritten").value < 100, metrics("shuffleRecordsWritten"))
      val (off, without) = withSettings(SlidewiseSettings.BlockExchange -> false)(found(sum(10000)))
      assertEquals((blocks(without).size, others(without).size), (0, 1), without)
      assertEquals(on, off)
    }

    test("windows of the same query share an exchange") {
      val (on, plan) = found(
        s"SELECT id, sum(x) OVER ($Running) AS a, max(s) OVER (PARTITION BY k ORDER BY x DESC) AS b FROM ${rows(1000)}"
      )
      assertEquals((blocks(plan).size, others(plan).size, on.size), (1, 0, 1000), clue = plan)
    }

    test("two reads of the same window share an exchange") {
      val (on, plan) = found(s"${sum(1000)} UNION ALL ${sum(1000)}")
      assertEquals((blocks(plan).size + reused(plan).size, on.size), (2, 2000), clue = plan)
      assert(reused(plan).nonEmpty, plan.toString)
    }

    test("a window and a join share an exchange, in blocks or not") {
      withSettings("spark.sql.autoBroadcastJoinThreshold" -> -1) {
        val (on, plan) = found(
          s"WITH t AS ${rows(300)}, w AS (SELECT id, k, sum(x) OVER ($Running) AS y FROM (SELECT id, k, x FROM t)) " +
            "SELECT w.id, y, u.id, u.x FROM w JOIN (SELECT id, k, x FROM t) u ON w.k = u.k AND w.id <= u.id"
        )
        assertEquals((reused(plan).size, blocks(plan).size + others(plan).size), (1, 1), plan.toString)
        assertEquals(on.size, (0 until 300).map(i => (299 - i) / 7 + 1).sum)
      }
    }

    test("an exchange above another window that a join reads as well is reused") {
      withSettings("spark.sql.autoBroadcastJoinThreshold" -> -1) {
        val sql =
          s"WITH t AS (SELECT id, k, id % 5 AS j, x FROM ${rows(300)}), " +
            "a AS (SELECT id, j, sum(x) OVER (PARTITION BY k) AS y FROM t) " +
            "SELECT c.id, m, b.id, b.y FROM (SELECT id, j, y, max(y) OVER (PARTITION BY j) AS m FROM a) c JOIN a b ON c.j = b.j"
        val (on, plan) = found(sql)
        val (off, without) = withSettings(SlidewiseSettings.BlockExchange -> false)(found(sql))
        assert(reused(plan).nonEmpty && blocks(plan).nonEmpty, plan.toString)
        // None is made twice that Spark makes once.
        assertEquals(blocks(plan).size + others(plan).size, others(without).size, plan)
        assertEquals(on, off)
      }
    }

    test("top rows come in blocks, those of a table in no need of a shuffle do not") {
      val top =
        s"SELECT * FROM (SELECT id, row_number() OVER ($Running) AS n FROM ${rows(1000)}) WHERE n <= 2"
      val (on, plan) = found(top)
      assertEquals((blocks(plan).size, on.size), (1, 14), clue = plan)
      val (_, grouped) = found(
        s"SELECT k, sum(c) OVER (PARTITION BY k ORDER BY c) FROM (SELECT k, count(*) AS c FROM ${rows(1000)} GROUP BY k)"
      )
      assertEquals((blocks(grouped).size, others(grouped).size), (0, 1), grouped)
    }

    test("rows that Spark sorts come in blocks") {
      withSettings(SlidewiseSettings.Sort -> false) {
        val (on, plan) = found(sum(1000, "PARTITION BY k ORDER BY id ROWS 3 PRECEDING"))
        assertEquals((blocks(plan).size, on.size), (1, 1000), clue = plan)
      }
    }

    test("an empty table, and rows without columns") {
      assertEquals(found(sum(0))._1, Nil)
      assertEquals(found(s"SELECT count(*) OVER (PARTITION BY 1) FROM range(5)")._1.size, 5)
      assertEquals(
        found(s"SELECT row_number() OVER (PARTITION BY k ORDER BY k) AS n FROM ${rows(5)}")._1.size,
        5
      )
    }
  }

  test("adaptive execution coalesces the partitions by their sizes") {
    withSettings("spark.sql.shuffle.partitions" -> 50) {
      val (on, plan) = found(sum(10000))
      val read = collect(plan) { case read: AQEShuffleReadExec => read }
      assert(read.exists(_.hasCoalescedPartition), plan)
      assertEquals((blocks(plan).size, on.size), (1, 10000))
    }
  }

  test("the size that adaptive execution sees is that of the rows") {
    val (_, plan) = found(sum(10000))
    val (_, without) = withSettings(SlidewiseSettings.BlockExchange -> false)(found(sum(10000)))
    val mine = blocks(plan).head.runtimeStatistics
    val sparks = collect(without) { case e: ShuffleExchangeExec => e.runtimeStatistics }.head
    assertEquals((mine.sizeInBytes, mine.rowCount), (sparks.sizeInBytes, sparks.rowCount))
  }

  test("a window of a cached table, and one below a cache") {
    spark.sql(sum(500)).createOrReplaceTempView("cached_window")
    spark.catalog.cacheTable("cached_window")
    try {
      assertEquals(spark.table("cached_window").count(), 500L)
      val (on, plan) =
        found("SELECT id, sum(y) OVER (PARTITION BY id % 3 ORDER BY id) FROM cached_window")
      assertEquals((blocks(plan).size, on.size), (1, 500), clue = plan)
    } finally spark.catalog.uncacheTable("cached_window")
  }
}
