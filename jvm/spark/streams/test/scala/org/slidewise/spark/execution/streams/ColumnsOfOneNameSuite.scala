package org.slidewise.spark.execution.streams

import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.sql.functions.{col, expr}

/** Streams with several columns of one name, which a checkpoint knows by their sources. */
class ColumnsOfOneNameSuite extends StreamSuite {

  test("columns of one name and type are told apart by what they are computed of") {
    val (source, checkpoint) = (events(), temporary())
    def query(first: String, second: String) = stream(source)
      .select(col("k"), col("ts"), expr(first).as("m"), expr(second).as("m"), col("n"))
      .withColumn("a", expr(s"sum(n) $LastTwo"))
      .toDF("k", "ts", first, second, "n", "a")
      .select("n + 1", "-n", "a")
    def run(answers: DataFrame, second: Int) = running(answers, checkpoint) { started =>
      source.addData(("a", second, second), ("a", second + 50, second + 50))
      started.processAllAvailable()
    }
    assertEquals(run(query("n + 1", "-n"), 1), Set[Seq[Any]](Seq(2, -1, 1L)))
    assertEquals(run(query("-n", "n + 1"), 101), Set[Seq[Any]](Seq(52, -51, 52L), Seq(102, -101, 152L)))
    intercept[AnalysisException](run(query("n + 2", "-n"), 201))
  }

  test("columns of one name and type from two sides of a join are two columns") {
    val (source, checkpoint) = (events(), temporary())
    val left = stream(source).as("l")
    val right = spark.range(3).selectExpr("cast(id AS int) AS n", "cast(id AS int) AS other").as("r")
    def query(side: String) = left
      .join(right, expr("l.n = r.other + 1"))
      .withColumn("a", expr(s"sum($side.n * 2) OVER (PARTITION BY k ORDER BY ts ROWS 1 PRECEDING)"))
      .select("k", "a")
    def run(answers: DataFrame, second: Int) = running(answers, checkpoint) { started =>
      source.addData(("a", second, 1), ("a", second + 1, 3), ("a", second + 100, 2))
      started.processAllAvailable()
    }
    assertEquals(run(query("l"), 1), Set[Seq[Any]](Seq("a", 2L), Seq("a", 8L)))
    intercept[AnalysisException](run(query("r"), 301))
    assertEquals(run(query("l"), 301), Set[Seq[Any]](Seq("a", 10L), Seq("a", 6L), Seq("a", 8L)))
  }

  test("a column that is dropped again may have the name and type of another") {
    val source = events()
    val query = stream(source)
      .select(col("k"), col("ts"), col("n"), expr("n + 1").as("n"))
      .toDF("k", "ts", "n", "m")
      .drop("m")
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
