package org.slidewise.spark.execution

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper

import org.slidewise.OneOf
import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.task.{MemoryMetrics, WindowMetrics}
import org.slidewise.spark.plan.EvaluationMethod
import org.slidewise.spark.plan.EvaluationMethod.RowReferences

/** Values of other rows, of types that are no numbers, with memory for all rows. */
class RowReferencesSuite extends RowReferencesOf(rows = 3000) {

  private val moving = "(PARTITION BY j ORDER BY id ROWS 3 PRECEDING)"

  for (
    call <- Seq(
      s"first_value(s) OVER $moving",
      s"last_value(a) OVER (PARTITION BY j ORDER BY id RANGE BETWEEN 9 PRECEDING AND 3 PRECEDING)",
      s"nth_value(m, 3) OVER $moving",
      "nth_value(s, 2000) OVER (PARTITION BY j ORDER BY id ROWS 2500 PRECEDING)",
      "lag(s) OVER (PARTITION BY j ORDER BY id)",
      "lead(st, 2) OVER (PARTITION BY j ORDER BY id)"
    )
  )
    test(s"$call refers to a row") {
      assertEquals(methods(spark.sql(s"SELECT $call FROM $table")), Seq[EvaluationMethod](RowReferences))
    }

  for (
    call <- Seq(
      s"first_value(s) IGNORE NULLS OVER $moving",
      s"first_value(s) FILTER (WHERE j > 1) OVER $moving",
      "first_value(s) OVER (PARTITION BY j ORDER BY id)",
      "last_value(s) OVER (PARTITION BY j ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
      "lag(s, 1) IGNORE NULLS OVER (PARTITION BY j ORDER BY id)"
    )
  )
    test(s"$call does not") {
      assume(windowsFilter || !call.contains("FILTER"))
      assert(!methods(spark.sql(s"SELECT $call FROM $table")).contains(RowReferences))
    }

  test("no combine is counted") {
    val data =
      spark.sql(s"SELECT first_value(s) OVER $moving, lag(a) OVER (PARTITION BY j ORDER BY id) FROM $table")
    data.collect()
    assertEquals(windows(data).map(_.metrics(WindowMetrics.Combines).value), Seq(0L))
  }
}

/** The same with Spark's pages off-heap, where a pointer into a page that has been freed crashes the process. */
class OffHeapRowReferencesSuite extends RowReferencesOf(rows = 3000, oneOf = 3) {
  override protected def settings: Map[String, String] =
    Map("spark.memory.offHeap.enabled" -> "true", "spark.memory.offHeap.size" -> (64L << 20).toString)
}

/** The same with memory for a part of the rows. */
class SpilledRowReferencesSuite extends RowReferencesOf(rows = 60000, oneOf = 5) {
  override protected def settings: Map[String, String] =
    Map("spark.testing.memory" -> (24L << 20).toString, "spark.testing.reservedMemory" -> "0")

  test("rows are spilled") {
    val data = spark.sql(s"SELECT ${calls.mkString(", ")} FROM $table")
    data.queryExecution.toRdd.foreach(_ => ())
    assert(windows(data).map(_.metrics(MemoryMetrics.Spill).value).sum > 0L)
  }
}

/**
 * @param oneOf
 *   of so many columns, a short run has one
 */
abstract class RowReferencesOf(rows: Int, oneOf: Int = 1) extends SparkSuite with AdaptiveSparkPlanHelper {

  protected val table = s"""(SELECT id, id % 3 AS j, if(id % 7 = 0, NULL, repeat(concat('s', id), 1 + id % 5)) AS s,
    if(id % 5 = 0, NULL, array(id, NULL, id + 1)) AS a, map(id, concat('v', id)) AS m,
    named_struct('x', id, 'y', if(id % 3 = 0, NULL, array(concat('z', id)))) AS st,
    CAST(concat('b', id) AS binary) AS b, CAST(id AS decimal(38, 5)) AS d, make_interval(0, 1, 0, id) AS i, id / 8 AS x
    FROM range(0, $rows, 1, 1))"""

  private val columns = Seq("s", "a", "m", "st", "b", "d", "i", "x", "concat(s, '!')")
  private val window = "PARTITION BY j ORDER BY id"

  protected val calls: Seq[String] = columns.flatMap { column =>
    val calls = Seq(
      s"first_value($column) OVER ($window ROWS BETWEEN 700 PRECEDING AND 2 PRECEDING)",
      s"last_value($column) OVER ($window RANGE BETWEEN 50 PRECEDING AND 10 PRECEDING)",
      s"nth_value($column, 3) OVER ($window ROWS BETWEEN CURRENT ROW AND 300 FOLLOWING)",
      s"lag($column, 400) OVER ($window)",
      s"lead($column) OVER ($window)"
    )
    if (column == "b") calls.map(call => s"hex($call)") else calls
  } :+ s"count(*) OVER ($window RANGE 50 PRECEDING)"

  protected def windows(data: DataFrame): Seq[SlidingWindowExec] =
    collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w }

  protected def methods(data: DataFrame): Seq[EvaluationMethod] =
    windows(data).flatMap(_.plan.methods).distinct

  private val one = new OneOf(oneOf)

  for (some <- calls.grouped(5))
    test(one(s"answers are Spark's: ${some.head} and others")) {
      val sql = s"SELECT id, ${some.mkString(", ")} FROM $table"
      val data = spark.sql(sql)
      val expected =
        if (some.head.matches("count.*|.*\\(x\\).*")) EvaluationMethod.ArrayKernels else RowReferences
      assert(methods(data).contains(expected), methods(data))
      val answers = data.collect().map(_.toString).sorted.toSeq
      withSettings(SlidewiseSettings.Enabled -> false) {
        assertEquals(answers, spark.sql(sql).collect().map(_.toString).sorted.toSeq)
      }
    }
}
