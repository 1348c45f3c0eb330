package org.slidewise.spark.execution.parallel

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.storage.StorageLevel

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings

class TwiceReadWindowSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private val rows = 20000L

  private lazy val path = {
    val folder = Files.createTempDirectory("slidewise").resolve("twice").toString
    spark
      .range(0, rows, 1, 3)
      .selectExpr(
        "id",
        "int(id % 10) AS k",
        "if(id % 7 = 0, NULL, concat('k', id % 40)) AS s",
        "if(id % 11 = 0, NULL, id % 1000) AS v",
        "if(id % 13 = 0, double('NaN'), id % 100 / 8) AS d",
        "if(id % 17 = 0, NULL, cast(id % 500 / 4 AS decimal(12, 2))) AS m",
        "if(id % 19 = 0, NULL, cast(id % 900 / 4 AS decimal(8, 2))) AS small",
        "cast(if(id < 3, if(id = 1, '-', '') || repeat('9', 38), '0') AS decimal(38, 0)) AS wide",
        "if(id < 3, 9223372036854775807 * if(id = 1, -1L, 1L), 0L) AS large"
      )
      .write
      .parquet(folder)
    folder
  }

  private def withTable[T](settings: (String, Any)*)(body: => T): T =
    withSettings(
      settings ++ Seq(SlidewiseSettings.ParallelMinRows -> 100, "spark.sql.shuffle.partitions" -> 3): _*
    ) {
      spark.read.parquet(path).createOrReplaceTempView("files")
      body
    }

  /** Asks with and without a second read, and returns the numbers of keys that tables have that were read twice. */
  private def keys(sql: String): Seq[Long] = {
    def answer(query: DataFrame) = query.collect().toSeq.map(_.toString).sorted
    val query = spark.sql(sql)
    val found = answer(query)
    assertEquals(found, withSettings(SlidewiseSettings.ParallelReadTwice -> false)(answer(spark.sql(sql))))
    val read = collect(query.queryExecution.executedPlan) { case window: TwiceReadWindowExec => window }
    read.foreach(window => assertEquals(window.metrics("numOutputRows").value, rows))
    read.map(_.child.metrics("partitions").value)
  }

  private val functions =
    "count(*) OVER w AS a, sum(v) OVER w AS b, max(v) OVER w AS c, min(d) OVER w AS e, avg(v) OVER w AS f, " +
      "sum(m) OVER w AS g, avg(m) OVER w AS h, sum(small) OVER w AS i, avg(small) OVER w AS j"

  for (adaptive <- Seq(true, false); codegen <- Seq(true, false))
    test(s"few keys, many keys and none: AQE $adaptive, codegen $codegen") {
      withTable("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.codegen.wholeStage" -> codegen) {
        val partitions =
          Seq(
            "PARTITION BY k" -> 10L,
            "PARTITION BY s" -> 41L,
            "PARTITION BY s, k" -> 50L,
            "PARTITION BY d" -> 101L
          ) ++
            Seq("PARTITION BY v % 3" -> 4L, "PARTITION BY id" -> 0L, "PARTITION BY id, k" -> 0L, "" -> 1L)
        for ((window, number) <- partitions) {
          assertEquals(keys(s"SELECT *, $functions FROM files WINDOW w AS ($window)"), Seq(number), window)
          val above =
            s"SELECT a, e, count(*), sum(v) FROM (SELECT v, $functions FROM files WINDOW w AS ($window)) GROUP BY a, e"
          assertEquals(keys(above), Seq(number), above)
        }
      }
    }

  for (adaptive <- Seq(true, false); window <- Seq("", "PARTITION BY k"))
    test(s"files that are added between both reads: OVER ($window), AQE $adaptive") {
      withTable("spark.sql.adaptive.enabled" -> adaptive) {
        spark.sql("DROP TABLE IF EXISTS added")
        spark.sql("CREATE TABLE added (id BIGINT, k INT, p INT) USING parquet PARTITIONED BY (p)")
        def add(p: Int): Unit = spark.sql(s"INSERT INTO added SELECT id, k, $p FROM files"): Unit
        add(0)
        val query = spark.sql(s"SELECT id, count(*) OVER ($window) AS c FROM added")
        val reads = collect(query.queryExecution.executedPlan) { case reads: RowsReadTwiceExec => reads }
        assertEquals(reads.size, 1)
        reads.foreach(_.left.collectLeaves().foreach {
          case scan: FileSourceScanExec => scan.inputRDDs()
          case _                        => fail("no scan")
        })
        add(1)
        val found = query.selectExpr("c").collect().map(_.getLong(0)).toSeq
        assertEquals(found.distinct, Seq(found.size.toLong / (if (window.isEmpty) 1 else 10)))
        spark.sql("DROP TABLE added")
      }
    }

  test("rows that a second read could lack, or compute again, are read once") {
    val window = "SELECT id, sum(v) OVER () AS t FROM"
    withTable() {
      assertEquals(keys(s"$window files").size, 1)
      for (setting <- Seq("spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"))
        withSettings(setting -> true)(assertEquals(keys(s"$window files"), Nil))
      for ((level, reads) <- Seq(StorageLevel.MEMORY_ONLY -> 0, StorageLevel.MEMORY_AND_DISK -> 1)) {
        val cached = spark.sql("SELECT id, v FROM files").persist(level)
        cached.createOrReplaceTempView("stored")
        cached.count()
        assertEquals(keys(s"$window stored").size, reads)
        cached.unpersist()
      }
    }
  }

  test("one task adds values if a part of them overflows") {
    for (ansi <- Seq(true, false); window <- Seq("", "PARTITION BY id < 100"))
      withTable("spark.sql.ansi.enabled" -> ansi) {
        keys(s"SELECT id, sum(large) OVER ($window) AS t, try_sum(large) OVER ($window) AS u FROM files")
        // Spark casts the mean of these decimals above the window.
        keys(s"SELECT id, sum(large) OVER ($window) AS t, avg(small) OVER ($window) AS u FROM files")
        keys(s"SELECT id, sum(wide) OVER ($window) AS t, try_sum(wide) OVER ($window) AS u FROM files")
      }
  }

  test("an operator that relies on the partitions") {
    withTable("spark.sql.autoBroadcastJoinThreshold" -> -1) {
      val window = "SELECT id, k, v, sum(v) OVER (PARTITION BY k) AS t FROM files"
      for (
        above <- Seq(
          s"SELECT *, max(id) OVER (PARTITION BY k ORDER BY id ROWS 3 PRECEDING) AS m FROM ($window)",
          s"SELECT k, v, sum(t) FROM ($window) GROUP BY k, v",
          s"SELECT a.*, b.id AS other FROM ($window) a JOIN files b ON a.k = b.k AND a.id = b.id"
        )
      ) assertEquals(keys(above), Nil, above)
    }
  }
}
