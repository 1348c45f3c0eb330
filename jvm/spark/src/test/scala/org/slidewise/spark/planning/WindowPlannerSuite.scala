package org.slidewise.spark.planning

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.Window

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.EvaluationMethod._

/** What planning decides for a window, without running it. */
class WindowPlannerSuite extends SparkSuite {
  private val Moving = "PARTITION BY id % 2 ORDER BY id ROWS 5 PRECEDING"

  private def query(calls: String*)(window: String): DataFrame =
    spark.sql(s"SELECT ${calls.map(call => s"$call OVER ($window)").mkString(", ")} FROM range(10)")

  private def plan(data: DataFrame): WindowPlan = {
    val windows = data.queryExecution.optimizedPlan.collect { case w: Window => w }
    assertEquals(windows.size, 1)
    val window = windows.head
    new WindowPlanner(spark.sessionState.conf, window.partitionSpec, window.orderSpec, window.orderSpec)
      .plan(window.windowExpressions)
  }

  private def operator(calls: String*): SlidingWindowPlan = operatorOver(Moving)(calls: _*)

  private def operatorOver(window: String)(calls: String*): SlidingWindowPlan =
    plan(query(calls: _*)(window)).operator.getOrElse(fail("left to Spark"))

  for (
    call <- Seq(
      "sum(id)",
      "count(*)",
      "count(id)",
      "avg(id)",
      "min(id)",
      "max(id)",
      "stddev(id)",
      "var_pop(id)",
      "avg(cast(id AS decimal(38, 10)))",
      "sum(cast(id AS decimal(18, 18)))"
    )
  )
    test(s"$call is evaluated in arrays, with rows as the fallback") {
      val found = operator(call)
      assertEquals(found.methods, Seq(ArrayKernels))
      assertEquals(found.fallback, Seq(if (call.startsWith("count")) RowReferences else TwoStacksLite))
      assertEquals(found.sortPlacement, SortPlacement.InOperator)
    }

  for (
    (call, method) <- Seq(
      "max_by(id, -id)" -> TwoStacksLite,
      "sum(cast(id AS decimal(38, 18)))" -> TwoStacksLite,
      "approx_count_distinct(id)" -> Recalculation, // six rows
      "hll_sketch_agg(id)" -> TwoStacksLiteSketches,
      "approx_count_if(id > 3, 0.1)" -> AdditiveSummaries,
      "percentile(id, 0.5, 2)" -> SlidingMultiset,
      "collect_list(id)" -> Recalculation
    )
  )
    test(s"$call is evaluated by $method") {
      val found = operator(call)
      assertEquals(found.methods, Seq(method))
      assertEquals(found.arrays, None)
      assertEquals(found.fallback, Nil)
      assertEquals(found.expressions.head.note.isDefined, method == Recalculation)
    }

  test("functions that arrays evaluate come first, and the others row by row, in one operator") {
    val found = operator("max_by(id, -id)", "sum(id)")
    assertEquals(found.expressions.map(_.method), Seq(ArrayKernels, TwoStacksLite))
    assertEquals(found.arrays.map(_.functions.size), Some(1))
    assertEquals(found.rowWise.methods, Seq(TwoStacksLite))
  }

  for (
    call <- Seq(
      "row_number()",
      "rank()",
      "dense_rank()",
      "percent_rank()",
      "cume_dist()",
      "ntile(3)",
      "lag(id)",
      "lead(id, 2, 0)",
      "first_value(id)",
      "last_value(id) IGNORE NULLS",
      "nth_value(id, 2)",
      "lag(id, 2) IGNORE NULLS",
      "lead(id, 1000, 0) IGNORE NULLS",
      "sum(id)",
      "max(id)"
    );
    window <- Seq("PARTITION BY id % 2 ORDER BY id", "ORDER BY id DESC")
  )
    test(s"$call OVER ($window) is evaluated in arrays") {
      val found = operatorOver(window)(call)
      assertEquals(found.methods, Seq(ArrayKernels))
      assertEquals(found.sortPlacement, SortPlacement.InOperator)
      assert(found.fallback.nonEmpty)
    }

  test("aggregates of growing frames and of whole partitions are running") {
    for (window <- Seq("PARTITION BY id % 2 ORDER BY id", "PARTITION BY id % 2", ""))
      assertEquals(operatorOver(window)("collect_list(id)", "max_by(id, -id)").methods, Seq(Running))
  }

  test("lag and lead of nulls ignored over very many values are left to Spark, with the reason") {
    val left = plan(query("lag(id, 2000) IGNORE NULLS")("ORDER BY id")).bySpark.map(_.reason)
    assertEquals(
      left,
      Seq(
        "lag with IGNORE NULLS at a distance of 2000 values, more than 1000, would hold that many in each buffer"
      )
    )
  }

  test("with sorting off, Spark sorts, and functions are evaluated row by row") {
    val off = withSettings(SlidewiseSettings.Sort -> "false")(operator("sum(id)"))
    assertEquals((off.sortPlacement, off.methods), (SortPlacement.BelowOperator, Seq(TwoStacksLite)))
  }

  test("while Slidewise is off nothing is planned, and no other setting is read") {
    withSettings(SlidewiseSettings.Enabled -> "false") {
      val found = plan(query("sum(id)")(Moving))
      assertEquals(found.operator, None)
      assertEquals(found.bySpark.map(_.reason), Seq("spark.slidewise.enabled is false"))
    }
  }

  test("sums that Spark could refuse have guards, others have none") {
    def guards(call: String) = operator(call).arrays.toSeq.flatMap(_.fallback.frames).flatMap(_.guards)
    assertEquals(guards("sum(id)").size, 1)
    assertEquals(guards("sum(cast(id AS double))").size, 0)
    assertEquals(guards("max(id)").size, 0)
    assertEquals(withSettings("spark.sql.ansi.enabled" -> "false")(guards("sum(id)")).size, 0)
  }

  test("the settings decide what is merged") {
    def methodAndNote(call: String) = {
      val expression = operator(call).expressions.head
      (expression.method, expression.note.getOrElse(""))
    }
    val (approximate, why) =
      withSettings(SlidewiseSettings.MergeApproximate -> "false")(methodAndNote("hll_sketch_agg(id)"))
    assertEquals(approximate, Recalculation)
    assert(why.contains(SlidewiseSettings.MergeApproximate), why)

    val (named, reason) =
      withSettings(SlidewiseSettings.NeverMerge -> "other, MAX_BY")(methodAndNote("max_by(id, -id)"))
    assertEquals(named, Recalculation)
    val (sum, _) = withSettings(SlidewiseSettings.NeverMerge -> "sum")(methodAndNote("sum(id)"))
    assertEquals(sum, Recalculation)
    assert(reason.contains("max_by is named in spark.slidewise.neverMerge"), reason)
  }

  test("the plan reads what frames and functions need of a row, and no more") {
    val data = spark.sql(
      s"SELECT *, sum(a) ${filter("b > 1")} OVER (PARTITION BY p ORDER BY t RANGE 2 PRECEDING) AS s, " +
        "max_by(a, c) OVER (PARTITION BY p ORDER BY t RANGE 2 PRECEDING) AS m " +
        "FROM VALUES (1, 2, 3, 4, 5, 6) AS v(p, t, a, b, c, unused)"
    )
    val input = data.queryExecution.optimizedPlan.collectFirst { case w: Window => w.child.output }.get
    val found = plan(data).operator.get
    val rowWise = Seq(found.arrays.get.fallback, found.rowWise)
    assertEquals(
      rowWise.map(_.neededAttributes(input, found.orderSpec).map(_.name).sorted),
      // Spark computes the filter below.
      Seq(if (filter("b > 1").isEmpty) Seq("a", "t") else Seq("_w0", "a", "t"), Seq("a", "c", "t"))
    )
  }
}
