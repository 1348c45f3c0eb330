package org.slidewise.spark

import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{col, lit, struct}

import org.slidewise.spark.expressions.SqlFunctions
import org.slidewise.spark.functions._

/** The functions for Scala and Java, which pytest does not see. */
class FunctionsSuite extends SparkSuite {

  test("there is a method for every function, and a function for every method") {
    val methods = functions.getClass.getDeclaredMethods
      .filter(m => java.lang.reflect.Modifier.isPublic(m.getModifiers) && m.getName.matches("[a-z0-9_]+"))
      .map(_.getName)
      .toSet
    assertEquals(methods, SqlFunctions.all.map(_.name).toSet)
  }

  test("the methods are the functions") {
    val ids = spark.range(4) // before the first column: Spark 3.5 parses names in the active session
    val window = Window.orderBy("id").rowsBetween(-2, 0)
    val model = naive_bayes_agg(col("id") % 2, struct(col("id")), 0.5).over(window)
    val rows = ids
      .select(
        geomean(lit(4)).over(window),
        arg_max(col("id"), lit(1), "last").over(window),
        ewma(col("id"), 1, adjust = false).over(window),
        time_weighted_avg(col("id"), col("id"), "linear").over(window),
        longest_decreasing_run(col("id"), strict = true).over(window).getField("length"),
        top_k(col("id"), 2).over(window),
        might_contain(bloom_filter_agg(col("id"), 10, 100).over(window), col("id")),
        naive_bayes_predict(model, struct(col("id"))),
        sliding_sketch_estimate(
          sliding_sum_sketch_agg(col("id"), col("id"), 9, 0.1).over(window),
          lit(3),
          lit(1)
        ),
        approx_count_if(col("id") > 1, 0.01).over(window),
        approx_sum(col("id"), 4, 0.01).over(window)
      )
      .collect()
    assertEquals(rows.last.toSeq, Seq[Any](4.0, 3L, 3.0, 2.0, 1L, Seq(3L, 2L), true, 1L, 5.0, 2.0, 6.0))
  }

  test("an order of its own, for groups") {
    val id = col("id")
    val row = spark
      .range(0, 4, 1, 4)
      .agg(
        ewma(id, 1, id.desc),
        ewma(id, 1, adjust = false, id),
        arg_max(id, lit(1), "first", id % 2, id.desc),
        arg_min(id, lit(1), id.desc),
        time_weighted_avg(id, id, "linear", id),
        rate(id, id, id),
        increase(id, -id, id),
        longest_increasing_run(id, id % 2, id).getField("length"),
        longest_decreasing_run(id, strict = true, id.desc).getField("length"),
        top_k_by(id, lit(1), 2, id.desc)
      )
      .head()
    assertEquals(row.toSeq, Seq[Any](0.0, 3.0, 2L, 3L, 1.5, 1.0, -6L, 2L, 4L, Seq(3L, 2L)))
  }
}
