package org.slidewise.spark

import org.apache.spark.sql.{functions => F, Encoder, Encoders, Row}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.expressions.Aggregator

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.plan.EvaluationMethod

/** Joins strings in order, in a buffer that it changes in place, and hands its right argument on where it can. */
object Joined extends Aggregator[String, Array[String], String] {
  override def zero: Array[String] = Array("")
  override def reduce(b: Array[String], a: String): Array[String] = {
    b(0) = b(0) + a + ";"
    b
  }
  override def merge(b1: Array[String], b2: Array[String]): Array[String] =
    if (b1(0).isEmpty) b2
    else {
      b1(0) = b1(0) + b2(0)
      b2(0) = "spent"
      b1
    }
  override def finish(b: Array[String]): String = b(0)
  override def bufferEncoder: Encoder[Array[String]] =
    org.apache.spark.sql.catalyst.encoders.ExpressionEncoder()
  override def outputEncoder: Encoder[String] = Encoders.STRING
}

/** The two largest, in a buffer that answering uses up. */
object TopTwo extends Aggregator[Long, Array[Long], String] {
  override def zero: Array[Long] = Array(Long.MinValue, Long.MinValue)
  override def reduce(b: Array[Long], a: Long): Array[Long] = {
    if (a > b(0)) b(0) = a
    java.util.Arrays.sort(b)
    b
  }
  override def merge(b1: Array[Long], b2: Array[Long]): Array[Long] = b2.foldLeft(b1)(reduce)
  override def finish(b: Array[Long]): String = {
    val answer = b.mkString(" ")
    java.util.Arrays.fill(b, Long.MinValue)
    answer
  }
  override def bufferEncoder: Encoder[Array[Long]] =
    org.apache.spark.sql.catalyst.encoders.ExpressionEncoder()
  override def outputEncoder: Encoder[String] = Encoders.STRING
}

/** The greatest common divisor: associative, and no inverse. */
object Gcd extends Aggregator[Long, Long, Long] {
  override def zero: Long = 0L
  override def reduce(b: Long, a: Long): Long = if (a == 0) b.abs else reduce(a, b % a)
  override def merge(b1: Long, b2: Long): Long = reduce(b1, b2)
  override def finish(b: Long): Long = b
  override def bufferEncoder: Encoder[Long] = Encoders.scalaLong
  override def outputEncoder: Encoder[Long] = Encoders.scalaLong
}

/** The longest string of all; null before the first. */
object Longest extends Aggregator[String, String, String] {
  def zero: String = null
  def reduce(longest: String, next: String): String =
    if (longest == null || next != null && next.length > longest.length) next else longest
  def merge(older: String, newer: String): String = reduce(older, newer)
  def finish(longest: String): String = longest
  def bufferEncoder: Encoder[String] = Encoders.STRING
  def outputEncoder: Encoder[String] = Encoders.STRING
}

/** A sum whose merge fails once it is given a value of 50 or more. */
object FailingMerge extends Aggregator[Long, Long, Long] {
  override def zero: Long = 0L
  override def reduce(b: Long, a: Long): Long = b + a
  override def merge(b1: Long, b2: Long): Long =
    if (b1 + b2 >= 50) throw new IllegalStateException("merge is not for windows") else b1 + b2
  override def finish(b: Long): Long = b
  override def bufferEncoder: Encoder[Long] = Encoders.scalaLong
  override def outputEncoder: Encoder[Long] = Encoders.scalaLong
}

class UserAggregatorSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private def answers(call: String, on: Boolean): (Seq[Row], Seq[SlidingWindowExec]) = {
    spark.udf.register("failing_merge", F.udaf(FailingMerge, Encoders.scalaLong))
    spark.conf.set(SlidewiseSettings.Enabled, on.toString)
    try {
      val data = spark.sql(
        s"SELECT id, $call OVER (PARTITION BY id % 2 ORDER BY id ROWS 9 PRECEDING) FROM range(0, 200, 1, 2) ORDER BY id"
      )
      val rows = data.collect().toSeq
      (rows, collectWithSubqueries(data.queryExecution.executedPlan) { case w: SlidingWindowExec => w })
    } finally spark.conf.unset(SlidewiseSettings.Enabled)
  }

  test("a merge that fails makes the task recalculate, with Spark's answer") {
    val (expected, _) = answers("failing_merge(id)", on = false)
    val (found, windows) = answers("failing_merge(id)", on = true)
    assertEquals(found, expected)
    assertEquals(windows.map(_.plan.methods), Seq(Seq(EvaluationMethod.TwoStacksLiteSketches)))
    assert(
      windows.head.metrics("recalculatedFrames").value > 100,
      windows.head.metrics("recalculatedFrames").value
    )
  }

  for (
    (key, value) <- Seq(
      SlidewiseSettings.MergeUserAggregators -> "false",
      SlidewiseSettings.NeverMerge -> "sum, Failing_Merge"
    )
  )
    test(s"$key = $value: merge is never called") {
      spark.conf.set(key, value)
      try {
        val (found, windows) = answers("failing_merge(id)", on = true)
        assertEquals(found, answers("failing_merge(id)", on = false)._1)
        assertEquals(windows.map(_.plan.methods), Seq(Seq(EvaluationMethod.Recalculation)))
        assert(windows.head.plan.expressions.head.note.exists(_.contains(key)), windows.head.plan.expressions)
      } finally spark.conf.unset(key)
    }

  for (
    frame <- Seq(
      "ROWS BETWEEN 6 PRECEDING AND CURRENT ROW",
      "ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING",
      "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    )
  )
    test(s"users' own aggregators over $frame: the same answers, by Slidewise") {
      spark.udf.register("joined", F.udaf(Joined, Encoders.STRING))
      spark.udf.register("top_two", F.udaf(TopTwo, Encoders.scalaLong))
      spark.udf.register("gcd", F.udaf(Gcd, Encoders.scalaLong))
      spark
        .range(300)
        .selectExpr("id % 3 AS k", "id AS t", "cast(id AS string) AS s", "id * 12 % 90 AS v")
        .createOrReplaceTempView("t")
      def run(on: Boolean) = {
        spark.conf.set(SlidewiseSettings.Enabled, on.toString)
        val window = s"OVER (PARTITION BY k ORDER BY t $frame)"
        spark.sql(
          s"SELECT t, joined(s) $window, gcd(v) $window, top_two(v) $window, gcd(v) ${filter("v > 20")} $window FROM t ORDER BY t"
        )
      }
      val on = run(true)
      assert(
        on.queryExecution.executedPlan.toString.contains("SlidingWindow"),
        on.queryExecution.executedPlan
      )
      assertEquals(on.collect().toSeq, run(false).collect().toSeq)
    }
}
