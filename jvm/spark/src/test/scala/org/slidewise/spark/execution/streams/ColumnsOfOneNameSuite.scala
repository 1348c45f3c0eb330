package org.slidewise.spark.execution.streams

import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.streaming.StreamingQueryException

/** Streams with several columns of one name, which a checkpoint knows by name and type. */
class ColumnsOfOneNameSuite extends StreamSuite {

  /** The columns `k`, `ts`, `n`, `others`, and a moving sum of `n`. */
  private def answers(input: DataFrame, others: Column*): DataFrame =
    input.select(Seq(col("k"), col("ts"), col("n")) ++ others: _*)

  private def refusalOf(query: DataFrame, source: MemoryStream[Event]): String =
    intercept[StreamingQueryException] {
      running(query) { started =>
        source.addData(("a", 1, 1))
        started.processAllAvailable()
      }
    }.getMessage

  test("two columns of one name and type are refused, whether the window reads them or not") {
    val source = events()
    for (
      (over, column) <- Seq(s"count(*) $LastTwo" -> "n + 1", s"max(k) $LastTwo" -> "-n");
      query = answers(stream(source), expr(column).as("n")).withColumn("a", expr(over))
    ) {
      val message = refusalOf(query, source)
      assert(message.contains("SLIDEWISE_UNSUPPORTED_STREAM_WINDOW"), message)
      assert(message.contains("two columns of the stream have the name n and the type INT"), message)
    }
  }

  test("two columns of one name and type within the window's expressions are refused") {
    val source = events()
    val left = stream(source).as("l")
    val right = spark.range(3).selectExpr("cast(id AS int) AS n", "cast(id AS int) AS other").as("r")
    val query = left
      .join(right, expr("l.n = r.other"))
      .withColumn("a", expr("sum(l.n * 2) OVER (PARTITION BY k ORDER BY ts ROWS 1 PRECEDING)"))
      .withColumn("b", expr("sum(r.n * 2) OVER (PARTITION BY k ORDER BY ts ROWS 1 PRECEDING)"))
      .select("k", "ts", "a", "b")
    val message = refusalOf(query, source)
    assert(message.contains("two columns of the stream have the name n and the type INT"), message)
  }

  test("a column that is dropped again may have the name and type of another") {
    val source = events()
    val query = answers(stream(source), expr("n + 1").as("n")).toDF("k", "ts", "n", "m").drop("m")
    val joined = query
      .as("l")
      .join(spark.range(3).selectExpr("cast(id AS int) AS n").as("r"), expr("l.n = r.n"))
      .withColumn("a", expr("sum(l.n) OVER (PARTITION BY k ORDER BY ts ROWS 1 PRECEDING)"))
      .select("k", "a")
    val found = running(joined) { started =>
      source.addData(("a", 1, 1), ("a", 2, 2), ("a", 100, 0))
      started.processAllAvailable()
      source.addData(("a", 200, 0))
      started.processAllAvailable()
    }
    assertEquals(found, Set[Seq[Any]](Seq("a", 1L), Seq("a", 3L), Seq("a", 2L)))
  }

  test("columns of one name and of different types continue in another order") {
    val (source, checkpoint) = (events(), temporary())
    var found = Set.empty[Seq[Any]]
    for (run <- 0 to 1) {
      val columns = Seq(expr("n").as("m"), expr("concat('t', n)").as("m"))
      val input =
        stream(source).select(Seq(col("k"), col("ts")) ++ (if (run == 0) columns else columns.reverse): _*)
      val query = input.withColumn("a", expr(s"count(*) $LastTwo"))
      found ++= running(query, checkpoint) { started =>
        source.addData(("a", run * 100 + 1, run), ("a", run * 100 + 50, run))
        started.processAllAvailable()
      }.map(row => if (run == 0) row else row.updated(2, row(3)).updated(3, row(2)))
    }
    val found0 = found.map(row => (row(2), row(3)))
    assertEquals(found0, Set[(Any, Any)]((0, "t0"), (1, "t1")))
  }
}
