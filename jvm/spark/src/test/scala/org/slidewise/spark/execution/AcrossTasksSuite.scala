package org.slidewise.spark.execution

import scala.util.Random

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.plan.EvaluationMethod
import org.slidewise.spark.planning.parallel.AcrossTasks

/** Windows that several tasks evaluate, beside their evaluation in one task. */
class AcrossTasksSuite extends SparkSuite {
  override protected def hasOwnSpark: Boolean = true
  import AcrossTasksSuite._
  import CutWindow.Strategy

  // Where little memory is left, it is enough for several pages.
  override protected def settings: Map[String, String] = Map("spark.buffer.pageSize" -> "64k")

  private def strategies = Seq(
    Strategy("sorted in memory", sorts = true),
    Strategy("presorted", sorts = false),
    Strategy("with little memory", sorts = true, leftBytes = Some(3L << 19))
  )

  private def rows(n: Int, keys: Int, distinct: Int, seed: Int): String =
    s"""(SELECT *, cast(v AS int) AS i, date_add(DATE'2020-01-01', cast(v AS int)) AS d,
       |  cast(v AS decimal(10, 2)) / 4 AS n, cast(v AS decimal(38, 2)) AS w, concat('s', v) AS s,
       |  make_dt_interval(cast(v AS int)) AS iv
       |FROM (SELECT id, pmod(hash(id, $seed), $keys) AS k,
       |  if(pmod(hash(id, ${seed + 1}), 9) = 0, null, pmod(hash(id, ${seed + 2}), $distinct)) AS t,
       |  if(pmod(hash(id, ${seed + 3}), 5) = 0, null, cast(pmod(hash(id, ${seed + 4}), 200) - 100 AS bigint)) AS v,
       |  CASE pmod(hash(id, ${seed + 5}), 12) WHEN 0 THEN null WHEN 1 THEN -0.0D WHEN 2 THEN 0.0D
       |    ELSE pmod(hash(id, ${seed + 6}), 1000) / 8.0D END AS x,
       |  CASE pmod(hash(id, ${seed + 7}), 30) WHEN 0 THEN double('NaN') WHEN 1 THEN null
       |    ELSE pmod(hash(id, ${seed + 8}), 1000) / 7.0D END AS y
       |  FROM range(0, $n, 1, 1)))""".stripMargin

  private def filtered(call: String) = filter("pmod(id, 3) = 1") match {
    case ""     => call
    case clause => s"$call $clause"
  }

  private def aggregates = Seq(
    "sum(v)",
    "sum(i)",
    "try_sum(v)",
    "count(*)",
    "count(v)",
    filtered("count(*)"),
    filtered("sum(v)"),
    filtered("max(x)"),
    "min(v)",
    "max(i)",
    "min(d)",
    "max(n)",
    "max(v > 0)",
    "avg(v)",
    "sum(x)",
    "avg(x)",
    "avg(cast(x AS float))",
    "min(x)",
    "max(x)",
    "min(y)",
    "max(y)",
    "max(cast(y AS float))",
    "sum(n)",
    "avg(n)",
    "sum(w)",
    "sum(iv)",
    "avg(iv)",
    "stddev(x)",
    "var_pop(v)",
    "corr(v, x)",
    "bit_or(v)",
    "bool_and(v > -90)",
    "approx_count_distinct(v)",
    "percentile_approx(v, 0.5D)", // exact for so few values
    "count_min_sketch(v, 0.5D, 0.5D, 7)",
    "bloom_filter_agg(v)",
    "min(s)",
    "max(s)"
  )

  /** Aggregates for which it matters in which order rows that tie come. */
  private val ordered = Seq(
    "first_value(v)",
    "last_value(v)",
    "first_value(v) IGNORE NULLS",
    "last_value(s) IGNORE NULLS",
    "first_value(s)",
    "nth_value(v, 2)",
    "nth_value(s, 3) IGNORE NULLS",
    "max_by(s, v)",
    "min_by(id, x)",
    "ewma(x, 0.25D)",
    "top_k(v, 3)",
    "max_count(v)",
    "arg_max(id, v)",
    "longest_increasing_run(v)",
    "max_subarray_sum(v)",
    "max_drawdown(v)"
  )

  /** Functions of the distinct values of a frame. Which of several modes Spark 3.5 returns, it leaves open. */
  private val ofMultisets = Seq(
    "count(DISTINCT v)",
    "count(DISTINCT s)",
    "count(DISTINCT s, n)",
    "sum(DISTINCT v)",
    "sum(DISTINCT x)",
    "median(v)",
    "percentile_disc(0.3) WITHIN GROUP (ORDER BY x DESC)",
    "percentile_disc(0.3) WITHIN GROUP (ORDER BY n DESC)"
  ) ++ (if (BuiltFor.MINOR == "3.5") Nil else Seq("mode(v, true)", "mode() WITHIN GROUP (ORDER BY i DESC)"))

  /** Aggregates that moving frames alone may have. */
  private val movingOnly = "collect_list(v)" +: ofMultisets

  private val ranks = Seq("rank()", "dense_rank()", "percent_rank()", "cume_dist()")
  private val places = Seq(
    "row_number()",
    "ntile(1)",
    "ntile(7)",
    "ntile(5000)",
    "lag(v)",
    "lag(v, 5, -1L)",
    "lead(s, 3)",
    "lead(v) IGNORE NULLS",
    "lag(s) IGNORE NULLS",
    "lag(v, 3, id) IGNORE NULLS",
    "lead(s, 2) IGNORE NULLS"
  )

  private val unbounded = Seq(
    "UNBOUNDED PRECEDING AND CURRENT ROW",
    "UNBOUNDED PRECEDING AND 3 FOLLOWING",
    "UNBOUNDED PRECEDING AND 2 PRECEDING",
    "CURRENT ROW AND UNBOUNDED FOLLOWING",
    "4 PRECEDING AND UNBOUNDED FOLLOWING",
    "2 FOLLOWING AND UNBOUNDED FOLLOWING",
    "UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
  )

  private val moving = Seq(
    "5 PRECEDING AND CURRENT ROW",
    "2 PRECEDING AND 3 FOLLOWING",
    "4 PRECEDING AND 2 PRECEDING",
    "1 FOLLOWING AND 3 FOLLOWING"
  )

  private def oneOf[T](random: Random, from: Seq[T]): T = from(random.nextInt(from.size))

  private def call(random: Random, uniquely: Boolean): String = {
    def over(frame: String) = s"OVER (w $frame)"
    def unit = if (!uniquely) "RANGE" else "ROWS"
    val mayMove = uniquely || random.nextBoolean()
    random.nextInt(12) match {
      case 0 | 1         => s"${oneOf(random, if (uniquely) ranks ++ places else ranks)} OVER w"
      case 2 if uniquely => s"${oneOf(random, movingOnly)} ${over(s"$unit BETWEEN ${oneOf(random, moving)}")}"
      case 3 if mayMove  => s"${oneOf(random, aggregates)} ${over(s"$unit BETWEEN ${oneOf(random, moving)}")}"
      case 4 | 5 | 6 if uniquely =>
        s"${oneOf(random, ordered)} ${over(s"ROWS BETWEEN ${oneOf(random, unbounded)}")}"
      case 7 => s"${oneOf(random, aggregates)} ${over("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")}"
      case 8 => s"${oneOf(random, aggregates)} ${over("RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING")}"
      case _ => s"${oneOf(random, aggregates)} ${over(s"$unit BETWEEN ${oneOf(random, unbounded)}")}"
    }
  }

  private def check(seed: Int, arrays: Boolean): Unit = {
    val random = new Random(seed)
    val uniquely = random.nextInt(3) > 0
    val keys = oneOf(random, Seq(0, 0, 1, 2, 30))
    val calls = Seq.fill(1 + random.nextInt(8))(call(random, uniquely))
    val size = oneOf(random, Seq(1, 2, 60, 300, 300, if (random.nextInt(3) == 0) 9000 else 100))
    val nulls = oneOf(random, Seq("ASC NULLS FIRST", "ASC NULLS LAST", "DESC NULLS FIRST", "DESC NULLS LAST"))
    val order = s"ORDER BY t $nulls${if (uniquely) ", id" else ""}"
    val partition = if (keys == 0) "" else "PARTITION BY k "
    // A reference to a named window cannot have a frame of its own.
    val columns = calls.zipWithIndex.map { case (text, i) =>
      val spelled =
        if (text.endsWith("OVER w")) text.stripSuffix("w") + s"($partition$order)"
        else text.replace("OVER (w", s"OVER ($partition$order")
      s"$spelled AS c$i"
    }
    val sql = s"SELECT id, ${columns.mkString(", ")} FROM " +
      rows(size, math.max(1, keys), oneOf(random, Seq(3, 40, 1000)), seed)
    withArrays(arrays) {
      val window = new CutWindow(spark, spark.sql(sql), uniquely, reach = 5)
      assertEquals(AcrossTasks.reasonNot(window.plan), None, sql)
      for (strategy <- if (arrays) strategies else strategies.take(1)) {
        val found = window.cut(random, strategy, pieces = 1 + random.nextInt(6))
        assertSame(window, found, s"seed $seed, $strategy\n$sql")(name =>
          calls(name.drop(1).toInt).contains("OVER w")
        )
      }
    }
  }

  private def withArrays(arrays: Boolean)(body: => Unit): Unit = {
    spark.conf.set(SlidewiseSettings.Sort, arrays.toString)
    try body
    finally spark.conf.unset(SlidewiseSettings.Sort)
  }

  private def assertSame(window: CutWindow, found: Vector[Map[String, Any]], how: String)(
      isExact: String => Boolean
  ): Unit = {
    assertEquals(found.size, window.expected.size, how)
    for (i <- found.indices; (name, value) <- window.expected(i))
      if (!same(value, found(i)(name), isExact(name)))
        fail(s"row $i, $name: ${found(i)(name)}, not $value, $how")
  }

  for (
    arrays <- Seq(true, false);
    (frame, uniquely) <- Seq(
      "ROWS BETWEEN 40 PRECEDING AND 3 FOLLOWING" -> true,
      "ROWS BETWEEN 2 FOLLOWING AND 35 FOLLOWING" -> true,
      "RANGE BETWEEN 40 PRECEDING AND 10 PRECEDING" -> false
    )
  )
    test(s"functions of distinct values over $frame, arrays $arrays") {
      val order = if (uniquely) "t, id" else "t"
      val columns = ofMultisets.zipWithIndex.map { case (call, i) =>
        s"$call OVER (ORDER BY $order $frame) AS c$i"
      }
      val sql = s"SELECT id, ${columns.mkString(", ")} FROM ${rows(800, 1, 300, seed = 7)}"
      withArrays(arrays) {
        val window = new CutWindow(spark, spark.sql(sql), uniquely, reach = 40)
        assertEquals(window.plan.expressions.map(_.method).distinct, Seq(EvaluationMethod.SlidingMultiset))
        assertEquals(window.plan.arrays.isDefined, arrays)
        assertEquals(AcrossTasks.reasonNot(window.plan), None)
        for (strategy <- if (arrays) strategies else strategies.take(1); seed <- 0 until 4) {
          val found = window.cut(new Random(seed), strategy, pieces = 5)
          assertSame(window, found, s"seed $seed, $strategy\n$sql")(_ => false)
        }
      }
    }

  test("equal functions of one frame have states of their own") {
    val sketch = "count_min_sketch(v, 0.5D, 0.5D, 7) OVER (ORDER BY t, id ROWS UNBOUNDED PRECEDING)"
    val sql = s"SELECT id, $sketch AS c0, $sketch AS c1 FROM ${rows(100, 1, 9, 0)}"
    val window = new CutWindow(spark, spark.sql(sql), divides = true, reach = 0)
    val found = window.cut(new Random(0), strategies.head, pieces = 4)
    for (i <- found.indices; name <- Seq("c0", "c1"))
      assert(same(window.expected(i)(name), found(i)(name), exact = true), s"row $i, $name")
  }

  for (arrays <- Seq(true, false); seed <- 0 until Seeds)
    test(s"seed $seed, arrays $arrays")(check(seed, arrays))
}

object AcrossTasksSuite {
  private val Seeds: Int = sys.env.getOrElse("SLIDEWISE_SEEDS", "12").toInt

  /** Equal, but for the order in which floating-point numbers were added unless `exact`. */
  private def same(a: Any, b: Any, exact: Boolean): Boolean = (a, b) match {
    case (x: Double, y: Double) if !exact =>
      x.equals(y) || x == y || math.abs(x - y) <= 1e-9 * math.max(1.0, math.max(math.abs(x), math.abs(y)))
    case (x: Array[Byte], y: Array[Byte]) => x.sameElements(y)
    case (x: Float, y: Float)             => x.equals(y) || x == y
    case _                                => a == b
  }
}
