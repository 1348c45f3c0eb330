package org.slidewise.spark.execution.streams

import java.nio.file.Path

import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.apache.spark.sql.functions.expr

import org.slidewise.spark.shims.MemoryStreams.MemoryStream

/** A checkpoint is continued by the query that has begun it, and refused by each other one. */
class IdentitySuite extends StreamSuite {

  override def beforeAll(): Unit = {
    super.beforeAll()
    spark.udf.register("one", (n: Int) => n + 1)
    spark.udf.register("two", (n: Int) => n + 2)
  }

  /** Pairs of functions that differ in what text without numbers, literals and options does not show. */
  private val pairs = Seq(
    "sum(v_1)" -> "sum(v_2)",
    "count_if(kind = 'type_1')" -> "count_if(kind = 'type_2')",
    "count_if(d < DATE '2020-01-01')" -> "count_if(d < DATE '2021-01-01')",
    "count_if(ts < TIMESTAMP '2020-01-01 00:00:00.000001')" ->
      "count_if(ts < TIMESTAMP '2020-01-01 00:00:00.000002')",
    "max(cast(n AS decimal(10, 2)))" -> "max(cast(n AS decimal(10, 3)))",
    "max(r.x)" -> "max(r.y)",
    "max(from_json(kind, 'a INT').a)" -> "max(from_json(kind, 'a INT', map('mode', 'FAILFAST')).a)",
    "max(transform(array(n), x -> x + 1)[0])" -> "max(transform(array(n), x -> x + 2)[0])",
    "max(one(n))" -> "max(two(n))",
    "max(try_cast(kind AS int))" -> "max(try_cast(kind AS int) + 1)",
    "count(nullif(n, 1))" -> "count(nullif(n, 2))",
    "count_if(ts < now())" -> "count_if(ts > now())"
  )

  /** The stream, with columns of which some have names with numbers. */
  private def rows(source: MemoryStream[Event], where: String = "true"): DataFrame =
    stream(source)
      .where(where)
      .selectExpr(
        "*",
        "n AS v_1",
        "-n AS v_2",
        "concat('type_', n) AS kind",
        "date_add(DATE '2020-01-01', n) AS d",
        "named_struct('x', n, 'y', -n) AS r",
        "ts AS time_1"
      )

  private def feed(source: MemoryStream[Event], from: Int): Unit =
    source.addData((from until from + 5).map(i => ("ab".substring(i % 2, i % 2 + 1), i + 1, i)): _*)

  private def refusal(query: => DataFrame, checkpoint: Path, mode: String): String = {
    val refused = intercept[AnalysisException] {
      writing(query, checkpoint)(_ => ()).outputMode(mode).start().stop()
    }
    assertEquals(refused.getCondition, CheckpointChanged.Condition)
    refused.getMessage
  }

  /** Begins a query, refuses the different ones, continues with each of `same`, and compares with one run of all. */
  private def check(mode: String, first: Query)(
      different: Seq[Query],
      same: Seq[Query]
  ): Unit = {
    val (source, checkpoint) = (events(), temporary())
    def run(source: MemoryStream[Event], query: DataFrame, checkpoint: Path, batches: Seq[Int]) = {
      val found = Set.newBuilder[Seq[Any]]
      val started =
        writing(query, checkpoint)(row => found.synchronized(found += row.toSeq)).outputMode(mode).start()
      try
        for (batch <- batches) {
          feed(source, batch * 5)
          started.processAllAvailable()
        }
      finally started.stop()
      found.result()
    }
    val begun = run(source, first(source), checkpoint, Seq(0, 1))
    for ((query, i) <- different.zipWithIndex)
      try refusal(query(source), checkpoint, mode)
      catch {
        case e: munit.FailException =>
          fail(s"query $i is not refused: ${query(source).queryExecution.analyzed}", e)
      }
    val continued = same.zipWithIndex.flatMap { case (query, i) =>
      run(source, query(source), checkpoint, Seq(2 + i))
    }
    val whole = events()
    val all = run(whole, first(whole), temporary(), Seq(0, 1) ++ same.indices.map(2 + _))
    assertEquals(begun ++ continued, all)
  }

  private type Query = MemoryStream[Event] => DataFrame

  private def over(functions: Seq[String], spec: String = LastTwo): Query =
    source => windowed(rows(source), functions, spec)

  private def windowed(rows: DataFrame, functions: Seq[String], spec: String = LastTwo): DataFrame = {
    val named = functions.sorted.zipWithIndex.map { case (f, i) => f -> s"c$i" }.toMap
    rows
      .select(Seq("k", "ts", "n").map(expr) ++ functions.map(f => expr(s"$f $spec").as(named(f))): _*)
      .select((Seq("k", "ts", "n") ++ functions.sorted.map(named)).map(expr): _*)
  }

  private val base = pairs.map(_._1)
  private def changes: Seq[Seq[String]] = pairs.indices.map(i => base.updated(i, pairs(i)._2))

  test(
    "windows: each other function, frame, key, column or mode is refused; order, names and filters are not"
  ) {
    check("append", over(base))(
      changes.map(over(_)) ++ Seq[Query](
        over(base, LastTwo.replace("1 PRECEDING", "2 PRECEDING")),
        over(base, LastTwo.replace("BY k", "BY r.x")),
        over(base, LastTwo.replace("BY k", "BY concat(k, '1')")),
        over(base.tail),
        source => windowed(rows(source).withColumn("n", expr("n + 1")), base),
        source => windowed(rows(source).withColumn("k", expr("upper(k)")), base)
      ),
      Seq(
        over(base.reverse),
        source => windowed(rows(source, "k IS NOT NULL AND n >= 0"), base.tail :+ base.head)
      )
    )
  }

  private def hopping(
      functions: Seq[String],
      key: String = "concat('zone_1', k)",
      time: String = "ts",
      size: String = "'10 seconds', '5 seconds'"
  ): Query = source => grouped(rows(source), functions, key, time, size)

  private def grouped(
      rows: DataFrame,
      functions: Seq[String],
      key: String = "concat('zone_1', k)",
      time: String = "ts",
      size: String = "'10 seconds', '5 seconds'"
  ) = rows
    .groupBy(expr(key), expr(s"window($time, $size)"))
    .agg(
      expr(functions.head).as("c0"),
      functions.tail.zipWithIndex.map { case (f, i) => expr(f).as(s"c${i + 1}") }: _*
    )

  test("hopping windows: each other function, key, time or window is refused; filters are not") {
    check("update", hopping(base))(
      changes.map(hopping(_)) ++ Seq[Query](
        hopping(base, key = "concat('zone_2', k)"),
        hopping(base, key = "cast(n AS string)"),
        hopping(base, time = "ts + INTERVAL 1 SECOND"),
        hopping(base, size = "'15 seconds', '5 seconds'"),
        hopping(base, size = "'10 seconds', '5 seconds', '1 second'"),
        hopping(base.tail),
        hopping(base.reverse)
      ),
      Seq(hopping(base), source => grouped(rows(source, "k IS NOT NULL"), base))
    )
  }

  test("windows of one SELECT with different keys continue in each order, and a swapped state is not read") {
    def query(functions: Seq[(String, String)]): Query = { source =>
      val all = rows(source).select(Seq("k", "ts", "n").map(expr) ++ functions.map { case (f, name) =>
        expr(f).as(name)
      }: _*)
      all.select((Seq("k", "ts", "n") ++ functions.map(_._2).sorted).map(expr): _*)
    }
    val functions = Seq(
      s"sum(n) $LastTwo" -> "a",
      s"sum(n) ${LastTwo.replace("BY k", "BY n % 2")}" -> "b",
      s"max(n) ${LastTwo.replace("BY k", "BY n % 3")}" -> "c"
    )
    val other = functions.updated(0, s"sum(-n) $LastTwo" -> "a")
    check("append", query(functions))(
      Seq(query(other), query(other.reverse)),
      Seq(query(functions.reverse), query(functions.tail :+ functions.head))
    )
  }

  test("a query that has committed no batch may be corrected, and begins anew") {
    val (source, checkpoint) = (events(), temporary())
    val failing = rows(source).select(
      expr("k"),
      expr("ts"),
      expr(
        s"sum(assert_true(n < 0, 'of a test') IS NULL) OVER (PARTITION BY n ORDER BY ts ROWS 1 PRECEDING)"
          .replace("sum(", "count(")
      ).as("a")
    )
    feed(source, 0)
    val query = writing(failing, checkpoint)(_ => ()).start()
    intercept[org.apache.spark.sql.streaming.StreamingQueryException](query.processAllAvailable())
    query.stop()
    val corrected = over(Seq("sum(n)"))(source)
    val found = running(corrected, checkpoint) { started =>
      started.processAllAvailable()
      source.addData(("a", 100, 100))
      started.processAllAvailable()
    }
    assertEquals(found.map(_.last), Set[Any](0L, 1L, 2L, 4L, 6L))
    refusal(failing, checkpoint, "append")
  }
}
