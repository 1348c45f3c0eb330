package org.slidewise.spark.planning

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.If
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.{ArrayType, DecimalType}

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.{BuiltFor, SlidewiseSettings}
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.expressions.SparkProbes
import org.slidewise.spark.plan._
import org.slidewise.spark.plan.EvaluationMethod._
import org.slidewise.spark.plan.MultisetFunction._

/** Which DISTINCT aggregates, percentiles and modes are evaluated in arrays, row by row from a multiset, or recalculated. */
class MultisetPlannerSuite extends SparkSuite with AdaptiveSparkPlanHelper {
  private val since40 = BuiltFor.MINOR != "3.5"

  private val integral = Seq("tinyint", "smallint", "int", "bigint")
  private val fractional = Seq("float", "double")
  private val intervals = Seq("interval day to second", "interval year to month")
  private val small = Seq("decimal(18,2)")
  private val numbers = integral ++ fractional ++ small
  private val times = Seq("date", "timestamp", "timestamp_ntz") ++ intervals
  private val large = Seq("decimal(38,2)")
  private val longer = Seq("string", "binary", "struct<a: double, b: string>", "array<string>")
  private val all = numbers ++ times ++ Seq("boolean") ++ large ++ longer

  private val Moving = "PARTITION BY id % 2 ORDER BY id ROWS 5 PRECEDING"

  private def data(call: String, window: String = Moving, kind: String = "bigint"): DataFrame =
    spark.sql(
      s"SELECT id, ${call.replace("@", s"OVER ($window)")} AS answer " +
        s"FROM (SELECT id, id AS n, from_json(to_json(named_struct('x', NULL)), 'x $kind').x AS x FROM range(0, 10, 1, 1))"
    )

  private def operator(data: DataFrame): SlidingWindowExec =
    collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w } match {
      case Seq(one) => one
      case others   => fail(s"${others.size} operators of Slidewise")
    }

  private def plan(call: String, window: String = Moving, kind: String = "bigint"): SlidingWindowPlan =
    operator(data(call, window, kind)).plan

  private def multisets(plan: SlidingWindowPlan): Seq[ArrayFunction.OfMultiset] =
    plan.arrays.toSeq.flatMap(_.functions).collect { case f: ArrayFunction.OfMultiset => f }

  for (
    (call, kinds, fallback) <- Seq(
      ("count(DISTINCT x) @", all, SlidingMultiset),
      ("count(DISTINCT x, n) @", all, SlidingMultiset),
      ("sum(DISTINCT x) @", integral ++ fractional, SlidingMultiset),
      ("avg(DISTINCT x) @", integral ++ fractional, SlidingMultiset),
      ("median(x) @", numbers ++ intervals, SlidingMultiset),
      ("percentile(x, 0.3) @", numbers ++ intervals, SlidingMultiset),
      ("percentile_cont(0.3) WITHIN GROUP (ORDER BY x DESC) @", numbers ++ intervals, SlidingMultiset),
      ("percentile_disc(0.3) WITHIN GROUP (ORDER BY x) @", numbers ++ intervals, SlidingMultiset),
      ("percentile(x, 0.3, 1) @", Seq("bigint"), SlidingMultiset), // each value once
      ("percentile_approx(x, 0.3) @", numbers.diff(small) ++ times :+ "decimal(15,2)", TwoStacksLiteSketches),
      ("mode(x) @", numbers ++ times :+ "boolean", SlidingMultiset)
    );
    kind <- kinds
  )
    test(s"${call.stripSuffix(" @")} of $kind is evaluated in arrays, with $fallback as the fallback") {
      val found = plan(call, kind = kind)
      assertEquals(found.methods, Seq(SlidingMultiset))
      assertEquals(multisets(found).size, 1)
      assertEquals(found.fallback, Seq(fallback))
    }

  for (
    (call, kinds, method) <- Seq(
      ("sum(DISTINCT x) @", small ++ large ++ intervals, SlidingMultiset),
      ("avg(DISTINCT x) @", small ++ large ++ intervals, SlidingMultiset),
      ("collect_list(DISTINCT x) @", Seq("bigint", "string"), SlidingMultiset),
      ("median(DISTINCT x) @", Seq("bigint", "double"), SlidingMultiset),
      ("stddev(DISTINCT x) @", Seq("bigint"), SlidingMultiset),
      ("mode(x) @", large ++ longer, SlidingMultiset),
      ("mode(x) @", Seq("interval"), Recalculation), // has no order
      ("median(x) @", large, Recalculation),
      ("percentile(x, 0.3, n) @", Seq("bigint"), SlidingMultiset), // each value n times
      ("percentile(x, 0.3, 2) @", Seq("bigint"), SlidingMultiset),
      ("percentile_disc(0.3) WITHIN GROUP (ORDER BY x) @", large, Recalculation),
      ("percentile_approx(x, 0.3) @", large, TwoStacksLiteSketches)
    );
    kind <- kinds
  )
    test(s"${call.stripSuffix(" @")} of $kind is evaluated row by row, by $method") {
      val found = plan(call, kind = kind)
      assertEquals(found.methods, Seq(method))
      assertEquals(found.arrays, None)
    }

  for (
    (call, method) <- Seq(
      "count(DISTINCT s) @" -> SlidingMultiset,
      "collect_list(DISTINCT s) @" -> Recalculation,
      "mode(s) @" -> Recalculation
    )
  )
    test(
      s"${call.stripSuffix(" @")} of strings that a collation compares: only a count does not show which they are"
    ) {
      assume(since40, "no collations")
      val rows = spark.sql(
        s"SELECT ${call.replace("@", s"OVER ($Moving)")} FROM (SELECT id, cast(id AS string) COLLATE UTF8_LCASE AS s FROM range(10))"
      )
      assertEquals(operator(rows).plan.methods, Seq(method))
    }

  test("the kernel of each function") {
    def kernel(call: String, kind: String = "bigint") =
      multisets(plan(call, kind = kind)).map(_.function) match {
        case Seq(one) => one
        case others   => fail(s"$others")
      }
    assertEquals[Any, Any](kernel("count(DISTINCT x) @"), DistinctCount)
    assertEquals[Any, Any](kernel("sum(DISTINCT x) @", "float"), DistinctDoubleSum)
    assertEquals[Any, Any](kernel("avg(DISTINCT x) @"), DistinctLongMean)
    assertEquals[Any, Any](kernel("avg(DISTINCT x) @", "double"), DistinctDoubleMean)
    assertEquals[Any, Any](kernel("mode(x) @"), Mode(greatest = false, SparkProbes.modeJoinsZeros))
    assert(kernel("sum(DISTINCT x) @").asInstanceOf[DistinctLongSum].checked.isDefined)
    assert(kernel("try_sum(DISTINCT x) @").asInstanceOf[DistinctLongSum].checked.isDefined)
    withSettings("spark.sql.ansi.enabled" -> "false")(
      assertEquals[Any, Any](kernel("sum(DISTINCT x) @"), DistinctLongSum(None))
    )
    def quantile(call: String, kind: String = "bigint") = kernel(call, kind).asInstanceOf[Quantile]
    assertEquals((quantile("median(x) @").fraction, quantile("median(x) @").scale), (0.5, 0))
    assertEquals(quantile("median(x) @", "decimal(18,2)").scale, 2)
    for (name <- Seq("percentile_cont", "percentile_disc"); descending <- Seq(false, true)) {
      val order = if (descending) "DESC" else "ASC"
      val found = quantile(s"$name(0.3) WITHIN GROUP (ORDER BY x $order) @")
      assertEquals((found.fraction, found.descending), (0.3, descending))
      assertEquals(found.method == QuantileMethod.Discrete, name == "percentile_disc")
    }
    withSettings("spark.sql.legacy.percentileDiscCalculation" -> "true")(
      assertEquals[Any, Any](
        quantile("percentile_disc(0.3) WITHIN GROUP (ORDER BY x) @").method,
        QuantileMethod.Lower
      )
    )
    assertEquals[Any, Any](quantile("percentile_approx(x, 0.3) @").method, QuantileMethod.Approximate)
    if (since40) {
      assertEquals[Any, Any](
        kernel("mode() WITHIN GROUP (ORDER BY x DESC) @"),
        Mode(greatest = true, SparkProbes.modeJoinsZeros)
      )
      assertEquals[Any, Any](
        kernel("mode() WITHIN GROUP (ORDER BY x) @"),
        Mode(greatest = false, SparkProbes.modeJoinsZeros)
      )
    }
  }

  test("only codes of what no 64 bits hold are looked up in a dictionary") {
    def codes(kind: String) =
      multisets(plan("count(DISTINCT x) @", kind = kind)).flatMap(_.input.collect { case c: DictionaryCode =>
        c
      })
    assertEquals((numbers ++ times :+ "boolean").map(kind => kind -> codes(kind).size).filter(_._2 != 0), Nil)
    assertEquals((large ++ longer).map(kind => kind -> codes(kind).size).filter(_._2 != 1), Nil)
  }

  test("a filter is a part of the input, and of a code") {
    assume(filter("n > 1").nonEmpty, "Spark has no FILTER over windows")
    for (
      call <- Seq("count(DISTINCT x)", "sum(DISTINCT x)", "median(x)", "percentile_approx(x, 0.3)", "mode(x)")
    ) {
      val functions = multisets(plan(s"$call ${filter("n > 1")} @"))
      assertEquals(functions.map(_.input).collect { case i: If => i }.size, 1, call)
    }
    val codes = multisets(plan(s"count(DISTINCT x, n) ${filter("n > 1")} @")).map(_.input)
    assertEquals(
      codes.collect { case DictionaryCode(values, counted) => (values.size, counted.children.size) },
      Seq((2, 2))
    )
  }

  private val several = Seq(
    "percentile(x, array(0.25, 0.5, 1.0)) @",
    "percentile_approx(x, array(0.25, 0.5, 1.0)) @"
  )

  for (call <- several) {
    test(s"$call is one function for each fraction, and one array again") {
      val rows = data(call, "ORDER BY id ROWS 2 PRECEDING", "int")
      val expressions = operator(rows).plan.expressions
      assertEquals(expressions.map(_.method), Seq.fill(3)(SlidingMultiset))
      assertEquals(
        multisets(operator(rows).plan).map(_.function).collect { case q: Quantile => q.fraction },
        Seq(0.25, 0.5, 1.0)
      )
      val field = rows.schema("answer")
      val spark =
        withSettings(SlidewiseSettings.Enabled -> "false")(data(call, "ORDER BY id ROWS 2 PRECEDING", "int"))
      assertEquals(field, spark.schema("answer"))
      assertEquals(field.dataType.asInstanceOf[ArrayType].containsNull, false)
      assertEquals(rows.collect().map(_.isNullAt(1)).toSet, Set(true))
    }

    test(s"$call over frames with values and without") {
      def answers() = {
        val rows = spark.sql(
          s"SELECT id, ${call.replace("@", "OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING)")} AS answer " +
            "FROM (SELECT id, if(id < 4, null, id * 7 % 5) AS x FROM range(0, 40, 1, 1))"
        )
        (rows.columns.toSeq, rows.collect().toSeq)
      }
      val found = answers()
      assertEquals(found._2.count(_.isNullAt(1)), 6)
      assertEquals(found, withSettings(SlidewiseSettings.Enabled -> "false")(answers()))
    }
  }

  test("a column without a name of its own is named as in Spark, and is one column") {
    def columns() = spark
      .sql("SELECT percentile(id, array(0.25, 0.5)) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range(3)")
      .columns
      .toSeq
    assertEquals(columns(), withSettings(SlidewiseSettings.Enabled -> "false")(columns()))
  }

  test("several fractions stay one function where arrays do not evaluate them") {
    def isOne(call: String, kind: String = "bigint", window: String = Moving) = {
      val found = plan(call, window, kind)
      assertEquals((found.expressions.size, found.arrays), (1, None), call)
    }
    several.foreach(isOne(_, "decimal(38,2)"))
    several.foreach(isOne(_, window = "ORDER BY cast(id AS decimal(38,2)) RANGE 5 PRECEDING"))
    isOne("percentile(x, array(0.25, 0.5), 2) @")
    withSettings(SlidewiseSettings.Sort -> "false")(several.foreach(isOne(_)))
    withSettings(SlidewiseSettings.NeverMerge -> "percentile, percentile_approx")(several.foreach(isOne(_)))
    withSettings(SlidewiseSettings.MergeApproximate -> "false")(isOne(several.last))
  }

  test("an empty array of fractions is Spark's own matter") {
    for (call <- Seq("percentile(x, array()) @", "percentile(x, cast(array() AS array<double>)) @")) {
      def outcome() =
        try data(call).collect().toSeq.toString
        catch { case e: Exception => e.getClass.getName }
      assertEquals(outcome(), withSettings(SlidewiseSettings.Enabled -> "false")(outcome()), call)
    }
  }

  for ((call, last) <- Seq("percentile(x, 0.3)" -> 25.5, "percentile(x, 0.3, 2)" -> 25.3))
    test(s"$call of decimals with a negative scale is Spark's") {
      withSettings("spark.sql.legacy.allowNegativeScaleOfDecimal" -> "true") {
        def answers() = spark
          .range(0, 30, 1, 1)
          .select(col("id"), (col("id") * 700).cast(DecimalType(5, -2)).as("x"))
          .selectExpr(s"$call OVER (ORDER BY id ROWS 5 PRECEDING) AS answer")
          .collect()
          .toSeq
        val found = answers()
        assertEqualsDouble(found.last.getDouble(0), last * 700, 1e-9)
        assertEquals(found, withSettings(SlidewiseSettings.Enabled -> "false")(answers()))
      }
    }

  test("without a sort of its own the operator evaluates row by row") {
    withSettings(SlidewiseSettings.Sort -> "false") {
      for (
        (call, method) <- Seq(
          "count(DISTINCT x) @" -> SlidingMultiset,
          "sum(DISTINCT x) @" -> SlidingMultiset,
          "mode(x) @" -> SlidingMultiset,
          "percentile(x, 0.3) @" -> SlidingMultiset,
          "percentile_approx(x, 0.3) @" -> TwoStacksLiteSketches
        )
      ) {
        val found = plan(call)
        assertEquals((found.methods, found.sortPlacement), (Seq(method), SortPlacement.BelowOperator), call)
      }
    }
  }

  for (
    (name, call) <- Seq(
      "count" -> "count(DISTINCT x) @",
      "sum" -> "sum(DISTINCT x) @",
      "mode" -> "mode(x) @",
      "percentile" -> "percentile(x, 0.3) @",
      "percentile_approx" -> "percentile_approx(x, 0.3) @"
    )
  )
    test(s"$call is recalculated where the settings name it") {
      withSettings(SlidewiseSettings.NeverMerge -> name.toUpperCase(java.util.Locale.ROOT)) {
        val found = plan(call)
        assertEquals(found.methods, Seq(Recalculation))
        val note = found.expressions.head.note.getOrElse("")
        assert(note.contains(SlidewiseSettings.NeverMerge), note)
      }
    }

  test("only percentile_approx is approximate") {
    withSettings(SlidewiseSettings.MergeApproximate -> "false") {
      assertEquals(plan("percentile_approx(x, 0.3) @").methods, Seq(Recalculation))
      for (call <- Seq("count(DISTINCT x) @", "percentile(x, 0.3) @", "mode(x) @"))
        assertEquals(multisets(plan(call)).size, 1, call)
    }
  }

  for (call <- Seq("count(DISTINCT id)", "median(id)", "percentile_approx(id, 0.5)", "mode(id)"))
    test(
      s"$call of frames that grow in order is not left to Spark, which goes over all values for each row"
    ) {
      def exec(frame: String) =
        operator(spark.sql(s"SELECT $call OVER (ORDER BY id $frame) AS answer FROM range(0, 50, 1, 1)"))
      assert(!exec("").evaluatesAsSpark)
      assert(!exec("ROWS UNBOUNDED PRECEDING").evaluatesAsSpark)
      assert(!exec("ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING").evaluatesAsSpark)
      assert(exec("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING").evaluatesAsSpark)
    }
}
