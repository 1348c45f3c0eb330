package org.slidewise.spark.planning

import org.apache.spark.sql.execution.{ColumnarToRowExec, FilterExec, ProjectExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.spark.{SortedAnswers, SparkSuite}
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{SlidingWindowExec, WindowJoinExec}
import org.slidewise.spark.execution.blocks.RandomTables
import org.slidewise.spark.execution.exchange.FilteredBatchesExec

/** Windows and window joins that read the batches of a child without an exchange between them. */
class WindowsOverBatchesSuite extends SparkSuite with SortedAnswers with AdaptiveSparkPlanHelper {
  private val Rows = 2000

  private lazy val prepared = {
    val path = RandomTables.parquet(spark, Rows)
    spark.read.parquet(path).createOrReplaceTempView("in_files")
    val files = spark.table("in_files")
    for ((name, rows) <- Seq("in_buckets" -> files, "other_buckets" -> files.select("a10", "b4")))
      rows.write.bucketBy(3, "a10").option("path", newFolder()).saveAsTable(name)
    true
  }

  private def newFolder(): String =
    java.nio.file.Files.createTempDirectory("slidewise").resolve("table").toString

  /** Asks `sql` with Slidewise on and off, and returns the operators that read rows or batches. */
  private def check(sql: String): Seq[SparkPlan] = {
    val query = spark.sql(sql)
    val found = answer(query)
    assert(found.nonEmpty)
    assertEquals(found, withSettings(SlidewiseSettings.Enabled -> false)(answer(spark.sql(sql))), sql)
    val plan = query.queryExecution.executedPlan
    val readers = collect(plan) {
      case window: SlidingWindowExec => window
      case join: WindowJoinExec      => join
    }
    assert(readers.nonEmpty, plan.toString)
    readers
  }

  private def checkBatches(sql: String): Seq[SparkPlan] = {
    val readers = check(sql)
    for (reader <- readers; child <- reader.children) assert(child.supportsColumnar, s"$sql\n$reader")
    readers
  }

  private def withTables[T](settings: (String, Any)*)(body: => T): T = {
    assert(prepared)
    withSettings(
      Seq[(String, Any)](
        "spark.sql.sources.bucketing.autoBucketedScan.enabled" -> false,
        "spark.sql.parquet.enableNestedColumnVectorizedReader" -> true
      ) ++ settings: _*
    )(body)
  }

  for (adaptive <- Seq(true, false); size <- Seq(100, 4096); offHeap <- Seq(true, false))
    test(s"columns of all types in buckets: AQE $adaptive, $size rows a batch, vectors off-heap $offHeap") {
      withTables(
        "spark.sql.adaptive.enabled" -> adaptive,
        "spark.sql.parquet.columnarReaderBatchSize" -> size,
        "spark.sql.columnVector.offheap.enabled" -> offHeap
      ) {
        checkBatches(
          "SELECT *, count(b4) OVER (PARTITION BY a10 ORDER BY a4 RANGE 5 PRECEDING) AS n FROM in_buckets"
        )
      }
    }

  test("rows that are evaluated one by one, in arrays and in groups") {
    withTables() {
      for {
        function <- Seq(
          "collect_list(b3) OVER (PARTITION BY a10 ORDER BY b4, b3, b6, b10 ROWS 2 PRECEDING)",
          "max(b10) OVER (PARTITION BY a10 ORDER BY b4 RANGE 100 PRECEDING)",
          "sum(b3) OVER (PARTITION BY a10)"
        )
      } checkBatches(s"SELECT b4, b10, $function AS n FROM in_buckets")
    }
  }

  test("filters and computed columns below a window") {
    withTables("spark.sql.adaptive.enabled" -> false) {
      val readers = checkBatches(
        "SELECT k, v, sum(v) OVER (PARTITION BY k ORDER BY t RANGE 3 PRECEDING) AS s " +
          "FROM (SELECT a10 AS k, b4 AS t, b3 % 7 AS v FROM in_buckets WHERE b4 > 0)"
      )
      assert(readers.forall(_.children.head.isInstanceOf[FilteredBatchesExec]), readers)
      assert(!readers.exists(r => r.exists(p => p.isInstanceOf[FilterExec] || p.isInstanceOf[ProjectExec])))
    }
  }

  test("a cached table that is partitioned by the key") {
    withTables() {
      spark
        .table("in_files")
        .select("a3", "b4", "b6")
        .repartition(3, spark.table("in_files")("a3"))
        .createOrReplaceTempView("to_cache")
      spark.catalog.cacheTable("to_cache")
      try checkBatches("SELECT *, count(b4) OVER (PARTITION BY a3 ORDER BY b4) AS n FROM to_cache")
      finally spark.catalog.uncacheTable("to_cache")
    }
  }

  for (adaptive <- Seq(true, false))
    test(s"a window above a window of the same partition: AQE $adaptive") {
      withTables("spark.sql.adaptive.enabled" -> adaptive) {
        val readers = check(
          "SELECT a10, b4, b10, count(b4) OVER (PARTITION BY a10 ORDER BY b4) AS n, " +
            "rank() OVER (PARTITION BY a10 ORDER BY b10) AS r FROM in_files"
        )
        assertEquals(readers.size, 2)
        assert(readers.head.children.head.supportsColumnar, readers.head)
        assert(!readers.exists(_.children.exists(_.isInstanceOf[ColumnarToRowExec])), readers)
      }
    }

  test("a window join over buckets, and one above it with the same keys") {
    withTables("spark.sql.adaptive.enabled" -> false, "spark.sql.autoBroadcastJoinThreshold" -> -1) {
      def joined(left: String, name: String) =
        s"SELECT l.*, w.$name FROM $left l, LATERAL (SELECT count(r.b4) AS $name FROM other_buckets r " +
          "WHERE r.a10 = l.a10 AND r.b4 BETWEEN l.b4 - 8589934592 AND l.b4) w"
      val one = joined("(SELECT a10, b4, b12 FROM in_buckets)", "n")
      val readers = checkBatches(one) ++ checkBatches(joined(s"($one)", "m"))
      assertEquals(readers.count(_.isInstanceOf[WindowJoinExec]), 3)
    }
  }

  test("rows in their order, which no operator sorts, are no batches") {
    withTables() {
      spark
        .table("in_files")
        .coalesce(1)
        .write
        .bucketBy(3, "a10")
        .sortBy("a10", "b4")
        .option("path", newFolder())
        .saveAsTable("sorted_buckets")
      try
        withSettings("spark.sql.legacy.bucketedTableScan.outputOrdering" -> true)(
          assert(
            !check(
              "SELECT a10, b4, count(b4) OVER (PARTITION BY a10 ORDER BY b4 RANGE 9 PRECEDING) AS n FROM sorted_buckets"
            ).head.children.head.isInstanceOf[FilteredBatchesExec]
          )
        )
      finally spark.sql("DROP TABLE sorted_buckets")
    }
  }
}
