package org.slidewise.spark.planning

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, IsNotNull}
import org.apache.spark.sql.execution.{ColumnarToRowExec, FilterExec}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.exchange.{ReusedExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.types.{LongType, StringType, StructType}
import org.example.NativeScanExec

import org.slidewise.spark.{SortedAnswers, SparkSuite}
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.blocks.RandomTables
import org.slidewise.spark.execution.exchange.{BlockExchangeExec, FilteredBatchesExec, SelectedVector}

class ColumnarBatchesSuite extends SparkSuite with SortedAnswers with AdaptiveSparkPlanHelper {

  private lazy val path = RandomTables.parquet(spark, rows = 2000)

  private def withTable[T](body: => T): T = {
    spark.read.parquet(path).createOrReplaceTempView("files")
    body
  }

  private def exchanges(query: DataFrame): Seq[BlockExchangeExec] =
    collect(query.queryExecution.executedPlan) { case exchange: BlockExchangeExec => exchange }

  /** Asks `sql` with and without blocks, and returns the plan's exchanges. */
  private def check(sql: String, columnar: Boolean = true, rows: Boolean = true): Seq[BlockExchangeExec] = {
    val query = spark.sql(sql)
    val found = answer(query)
    val without = withSettings(SlidewiseSettings.BlockExchange -> false)(answer(spark.sql(sql)))
    assertEquals(found, without)
    assertEquals(found.nonEmpty, rows)
    val plans = exchanges(query)
    assert(
      plans.nonEmpty && plans.forall(_.child.supportsColumnar == columnar),
      query.queryExecution.executedPlan.toString
    )
    plans
  }

  for {
    adaptive <- Seq(true, false)
    offHeap <- Seq(true, false)
    partitions <- if (adaptive) Seq(1, 5, 500) else Seq(5)
  } test(s"all types, AQE $adaptive, vectors off-heap $offHeap, $partitions partitions") {
    withSettings(
      "spark.sql.adaptive.enabled" -> adaptive,
      "spark.sql.columnVector.offheap.enabled" -> offHeap,
      "spark.sql.shuffle.partitions" -> partitions,
      "spark.sql.parquet.enableNestedColumnVectorizedReader" -> true
    )(withTable {
      check("SELECT *, count(*) OVER (PARTITION BY a10 ORDER BY a4, b4 ROWS 3 PRECEDING) AS n FROM files")
        .foreach { exchange =>
          assertEquals(exchange.metrics("numRows").value, 2000L)
          assert(exchange.metrics("blockSize").value < exchange.metrics("dataSize").value)
        }
    })
  }

  test("a filter tests columns for null before a function of users reads them") {
    withTable {
      spark.udf.register("length_of", (text: String) => text.length)
      val texts = RandomTables.schema.filter(_.dataType == StringType).map(_.name)
      assert(texts.nonEmpty)
      for (text <- texts)
        check(s"""SELECT b4, count(*) OVER (PARTITION BY a10 ORDER BY b4) AS n
          FROM (SELECT * FROM files WHERE length_of($text) >= 0) WHERE $text IS NOT NULL""")
    }
  }

  test("vectors that a filter cannot show, and those of unknown engines, are read as rows") {
    val id = AttributeReference("id", LongType)()
    val scan = spark.read.parquet(path).queryExecution.sparkPlan
    assert(scan.supportsColumnar, scan)
    assert(FilteredBatchesExec.below(ColumnarToRowExec(scan)).contains(scan))
    val native = ColumnarToRowExec(NativeScanExec(Seq(id)))
    assertEquals(FilteredBatchesExec.below(native), None)
    assertEquals(FilteredBatchesExec.below(FilterExec(IsNotNull(id), native)), None)
    assert(SelectedVector.shows(StructType.fromDDL("a INT, b ARRAY<INTERVAL>, c STRUCT<d: STRING>")))
    assert(!SelectedVector.shows(StructType.fromDDL("a INT, b INTERVAL")))
  }

  test("keys of each type") {
    withTable {
      val keys = RandomTables.schema.filter(field => RandomTables.isKey(field.dataType)).map(_.name)
      for (key <- keys if key != "b4")
        check(s"SELECT $key, b4, count(b4) OVER (PARTITION BY $key ORDER BY b4) AS n FROM files")
      val all = keys.mkString(", ")
      check(s"SELECT $all, row_number() OVER (PARTITION BY $all ORDER BY b4) AS n FROM files")
    }
  }

  test("the size that adaptive execution sees is that of the rows") {
    withTable {
      val sql = "SELECT a4, a10, a19, count(*) OVER (PARTITION BY a10 ORDER BY a4) AS n FROM files"
      val sizes = Seq(true, false).map { columnar =>
        withSettings("spark.sql.parquet.enableVectorizedReader" -> columnar) {
          val plans = check(sql, columnar)
          plans.head.runtimeStatistics
        }
      }
      assertEquals(sizes.head.sizeInBytes, sizes.last.sizeInBytes)
      assertEquals(sizes.map(_.rowCount), Seq.fill(2)(Some(BigInt(2000))))
    }
  }

  test("a cached table, a column of a partition, and rows from other operators") {
    withTable {
      val window = "count(*) OVER (PARTITION BY k ORDER BY t) AS n"
      spark.sql("SELECT a3 AS k, b4 AS t FROM files").createOrReplaceTempView("to_cache")
      spark.catalog.cacheTable("to_cache")
      try check(s"SELECT k, t, $window FROM to_cache")
      finally spark.catalog.uncacheTable("to_cache")
      val folder = java.nio.file.Files.createTempDirectory("slidewise").resolve("parts").toString
      spark.sql("SELECT a3 AS k, b4 AS t, b3 AS part FROM files").write.partitionBy("part").parquet(folder)
      spark.read.parquet(folder).createOrReplaceTempView("in_parts")
      check(s"SELECT k, t, part, $window FROM in_parts")
      check(s"SELECT k, t, part, count(*) OVER (PARTITION BY part ORDER BY t) AS n FROM in_parts")
      check(
        s"SELECT k, t, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM (SELECT string(k) AS k, t FROM in_parts)",
        columnar = false
      )
      check(
        s"SELECT k, t, $window FROM (SELECT k, t, rand(1) AS r FROM in_parts) WHERE r < 2",
        columnar = false
      )
    }
  }

  test("filters, and columns with other names and in another order") {
    withTable {
      val all = "count(*) OVER (PARTITION BY a10 ORDER BY b4) AS n"
      for (condition <- Seq("a4 > 0", "a3 IS NULL", "size(a17) > 1 AND b20.a > 0", "true"))
        check(s"SELECT *, $all FROM files WHERE $condition")
      withSettings("spark.sql.adaptive.enabled" -> false) {
        check(s"SELECT *, $all FROM files WHERE a10 = 'none'", rows = false)
      }
      check(
        "SELECT t, k, count(*) OVER (PARTITION BY k ORDER BY t) AS n FROM (SELECT a10 AS k, b4 AS t, b4 FROM files)"
      )
      check(
        "SELECT t, u, count(*) OVER (PARTITION BY k ORDER BY t) AS n " +
          "FROM (SELECT a10 AS k, b4 AS t, b4 AS u FROM files WHERE b3 < 7)"
      )
      val plans = check(s"SELECT b4, a10, $all FROM files WHERE b4 > (SELECT min(b4) FROM files)")
      assert(plans.head.child.isInstanceOf[FilteredBatchesExec], plans.head)
      val rows = plans.head.child.metrics("numOutputRows").value
      assertEquals(rows, plans.head.metrics("numRows").value)
      assert(rows > 0 && rows < 2000, rows)
    }
  }

  test("values of a fixed size that are computed") {
    withTable {
      val numbers = "SELECT id, if(id % 7 = 0, NULL, hash(id)) AS h FROM range(0, 5000, 1, 2)"
      val folder = java.nio.file.Files.createTempDirectory("slidewise").resolve("numbers").toString
      spark.sql(numbers).write.parquet(folder)
      spark.read.parquet(folder).createOrReplaceTempView("numbers")
      val computed = Seq(
        "h % 10",
        "h > 0",
        "tinyint(h % 100)",
        "smallint(h % 1000)",
        "-bigint(h)",
        "float(h)",
        "double(h) / 8",
        "cast(h AS decimal(18, 2))",
        "date_add(DATE'2024-02-29', h % 1000)",
        "timestamp_seconds(h)",
        "make_dt_interval(0, 0, 0, h % 1000)",
        "make_ym_interval(h % 100)",
        "if(h IS NULL, 3, NULL)",
        "length(string(h))"
      )
      for (where <- Seq("", "WHERE id % 3 > 0"); value <- computed)
        check(
          s"SELECT k, id, count(*) OVER (PARTITION BY k ORDER BY id) AS n FROM (SELECT $value AS k, id FROM numbers $where)"
        )
      val all = computed.zipWithIndex.map { case (value, i) => s"$value AS c$i" }.mkString(", ")
      check(
        s"SELECT *, count(*) OVER (PARTITION BY c0 ORDER BY id) AS n FROM (SELECT h, id, $all FROM numbers WHERE h > id)"
      )
      check(
        "SELECT k, id, count(*) OVER (PARTITION BY k ORDER BY id) AS n FROM (SELECT cast(h AS decimal(30, 2)) AS k, id FROM numbers)",
        columnar = false
      )
    }
  }

  test("a value that cannot be computed fails the query, with Spark's error, unless its row is filtered") {
    withTable(withSettings("spark.sql.ansi.enabled" -> true) {
      def ask(where: String) =
        s"SELECT b4, count(*) OVER (PARTITION BY k ORDER BY b4) AS n FROM (SELECT b4, 100 DIV b3 AS k FROM files $where)"
      check(ask("WHERE b3 <> 0"))
      for (on <- Seq(true, false)) withSettings(SlidewiseSettings.BlockExchange -> on) {
        val message = intercept[Exception](spark.sql(ask("")).collect()).getMessage
        assert(message.contains("[DIVIDE_BY_ZERO]") && message.contains("100 DIV b3"), message)
      }
    })
  }

  test("a condition that fails fails the query, with Spark's error") {
    withTable(withSettings("spark.sql.ansi.enabled" -> true) {
      val sql = "SELECT b4, count(*) OVER (PARTITION BY a10 ORDER BY b4) AS n FROM files WHERE 1 / b3 > 0.1"
      for (on <- Seq(true, false)) withSettings(SlidewiseSettings.BlockExchange -> on) {
        val message = intercept[Exception](spark.sql(sql).collect()).getMessage
        assert(message.contains("[DIVIDE_BY_ZERO]") && message.contains("1 / b3"), message)
      }
    })
  }

  private val shared = Map(
    "files" -> "files",
    "files, filtered" -> "files WHERE a3 IS NOT NULL AND b4 IS NOT NULL AND b4 <> 17",
    "files, renamed" -> "(SELECT a3, b4, b3 FROM files WHERE a3 IS NOT NULL AND b4 IS NOT NULL)",
    "a cached table" -> "to_cache",
    "a cached table, filtered" -> "to_cache WHERE b4 <> 17"
  )

  for (adaptive <- Seq(true, false); codegen <- Seq(true, false); (name, table) <- shared)
    test(s"a window and a join share an exchange of $name: AQE $adaptive, codegen $codegen") {
      withTable {
        val settings = Seq(
          "spark.sql.autoBroadcastJoinThreshold" -> -1,
          "spark.sql.adaptive.enabled" -> adaptive,
          "spark.sql.codegen.wholeStage" -> codegen
        )
        withSettings(settings: _*) {
          // Spark 3.5 fails on a cached plan whose scans have batches, without generated code.
          spark
            .sql("SELECT a3, b4 FROM files WHERE a3 IS NOT NULL AND b4 IS NOT NULL")
            .createOrReplaceTempView("to_cache")
          spark.catalog.cacheTable("to_cache")
          try assertShared(table, codegen)
          finally spark.catalog.uncacheTable("to_cache")
        }
      }
    }

  /** Asserts that there are as many exchanges as without blocks, and that they are of batches if Spark reads files in batches. */
  private def assertShared(table: String, batches: Boolean): Unit = {
    val plans = Seq(true, false).map { blocks =>
      withSettings(SlidewiseSettings.BlockExchange -> blocks) {
        val query = spark.sql(
          s"WITH t AS (SELECT a3, b4 FROM $table), " +
            "w AS (SELECT a3, b4, sum(b4) OVER (PARTITION BY a3 ORDER BY b4) AS s FROM t) " +
            "SELECT w.a3, w.b4, s, t.b4 FROM w JOIN t ON w.a3 = t.a3 AND w.b4 <= t.b4"
        )
        query.collect()
        // Spark's exchange may be the one that both read.
        if (batches)
          assert(
            exchanges(query).forall(_.child.supportsColumnar),
            query.queryExecution.executedPlan.toString
          )
        query.queryExecution.executedPlan
      }
    }
    val counts = plans.map(plan =>
      (
        collect(plan) { case exchange: ShuffleExchangeLike => exchange }.size,
        collect(plan) { case exchange: ReusedExchangeExec => exchange }.size
      )
    )
    assertEquals(counts.head, counts.last, plans.mkString("\n"))
    if (table == shared("files, filtered")) assertEquals(counts.head._2, 1)
  }
}
