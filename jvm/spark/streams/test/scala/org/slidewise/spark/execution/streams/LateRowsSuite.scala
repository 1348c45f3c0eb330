package org.slidewise.spark.execution.streams

import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types.{CalendarIntervalType, DataType, StringType, StructType}

class LateRowsSuite extends StreamSuite {

  private val columns = Seq(
    "TIMESTAMP '2024-03-10 07:59:59.123456'" -> "ts",
    "TIMESTAMP '1800-01-01 00:00:00.000001'" -> "old",
    "TIMESTAMP_NTZ '2024-03-10 07:59:59.123456'" -> "ntz",
    "DATE '0001-02-03'" -> "d",
    "INTERVAL '-1 02:03:04.000005' DAY TO SECOND" -> "dayTime",
    "INTERVAL '-1-2' YEAR TO MONTH" -> "yearMonth",
    "make_interval(1, 2, 3, 4, 5, 6, 7.000008)" -> "calendar",
    "X'00FF10'" -> "bytes",
    "1234567890123456789.0123456789012345678BD" -> "wide",
    "0.1D" -> "double",
    "double('NaN')" -> "nan",
    "float('-Infinity')" -> "infinity",
    "-0.0D" -> "zero",
    "9223372036854775807L" -> "long",
    "'line\n\"quoted\" ü \\u0000'" -> "text",
    "cast(NULL AS string)" -> "nothing",
    "array(1, NULL)" -> "list",
    "map('k', TIMESTAMP '2024-01-01 00:00:00.000001', 'l', NULL)" -> "byText",
    "map(DATE '2024-01-01', 1)" -> "byDate",
    "named_struct('a', 1, 'b', array(X'01'))" -> "struct",
    "named_struct('a', array(map(DATE '2024-01-01', map('k', map(7, 8)))), 'b', 1)" -> "within"
  )

  for (zone <- Seq("UTC", "America/Los_Angeles"))
    test(s"what is written is read back in $zone") {
      withSettings("spark.sql.session.timeZone" -> zone) {
        val rows = spark.range(1).selectExpr(columns.map { case (sql, name) => s"$sql AS $name" }: _*)
        val folder = Files.createTempDirectory("late")
        val file = new Path(folder.resolve("part-0.json").toString)
        val late =
          new LateRows.InFile(file, rows.queryExecution.analyzed.output, new Configuration)
        rows.queryExecution.toRdd.map(_.copy()).collect().foreach(late.add)
        late.commit()
        val entries = "ARRAY<STRUCT<key: DATE, value: INT>>"
        val within =
          "STRUCT<a: ARRAY<ARRAY<STRUCT<key: DATE, value: MAP<STRING, ARRAY<STRUCT<key: INT, value: INT>>>>>>, b: INT>"
        // Spark reads no calendar intervals from files.
        val schema = StructType(rows.schema.map {
          case field if field.dataType == CalendarIntervalType => field.copy(dataType = StringType)
          case field if field.name == "byDate" => field.copy(dataType = DataType.fromDDL(entries))
          case field if field.name == "within" => field.copy(dataType = DataType.fromDDL(within))
          case field                           => field
        })
        val read = spark.read
          .schema(schema)
          .json(folder.toString)
          .withColumn("byDate", expr("map_from_entries(byDate)"))
          .withColumn(
            "within",
            expr(
              "named_struct('a', transform(within.a, m -> map_from_entries(transform(m, e -> " +
                "struct(e.key, transform_values(e.value, (k, v) -> map_from_entries(v)))))), 'b', within.b)"
            )
          )
        for ((sql, name) <- columns) {
          def text(rows: DataFrame) = rows.selectExpr(s"CAST($name AS STRING)").head().get(0)
          assertEquals(text(read), text(rows), sql)
        }
      }
    }

  test("a task that computes several partitions keeps the late rows of each") {
    val folder = Files.createTempDirectory("late")
    val source = events()
    val windowed = stream(source).withColumn("a", expr(s"sum(n) $LastTwo"))
    withSettings(
      "spark.slidewise.streaming.mode" -> "eager",
      "spark.slidewise.streaming.lateRowsPath" -> folder.toString,
      "spark.sql.shuffle.partitions" -> 5
    ) {
      running(windowed.coalesce(1), temporary()) { query =>
        val keys = ('a' to 'p').map(_.toString)
        source.addData(keys.map((_, 100, 1)): _*)
        query.processAllAvailable()
        source.addData(keys.zipWithIndex.map { case (key, i) => (key, 50, i) }: _*)
        query.processAllAvailable()
      }
    }
    val late = spark.read.schema("k STRING, n INT").json(folder.toString).collect()
    assertEquals(late.map(_.getInt(1)).sorted.toSeq, 0 until 16)
  }

  test(
    "queries with one path keep their files apart, and a query keeps its folder when it is started again"
  ) {
    val folder = Files.createTempDirectory("late")
    def run(checkpoint: LocalPath, n: Int): Unit = {
      val source = events()
      val windowed = stream(source).withColumn("a", expr(s"sum(n) $LastTwo"))
      running(windowed, checkpoint) { query =>
        source.addData(("a", 100, n))
        query.processAllAvailable()
        source.addData(("a", 50, n + 1))
        query.processAllAvailable()
      }
    }
    withSettings(
      "spark.slidewise.streaming.mode" -> "eager",
      "spark.slidewise.streaming.lateRowsPath" -> folder.toString
    ) {
      run(temporary(), 10)
      run(temporary(), 20)
    }
    val late = spark.read.schema("n INT, query STRING").json(folder.toString).collect()
    assertEquals(late.map(_.getInt(0)).toSet, Set(11, 21))
    assertEquals(late.map(_.getString(1)).distinct.length, 2)
  }
}
