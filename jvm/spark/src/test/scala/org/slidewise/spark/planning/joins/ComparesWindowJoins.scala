package org.slidewise.spark.planning.joins

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.{LeftToSpark, WindowJoin}

/** Compares queries that are window joins with Spark's own plan of them. */
abstract class ComparesWindowJoins extends SparkSuite {
  override protected def settings: Map[String, String] =
    Map(
      "spark.sql.shuffle.partitions" -> "1",
      "spark.sql.session.timeZone" -> "UTC",
      "spark.sql.adaptive.enabled" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    )

  protected def plansOf(sql: String): (Seq[WindowJoin], Seq[String]) = {
    val plan = spark.sql(sql).queryExecution.normalized
    val joins = plan.collectWithSubqueries { case join: WindowJoin => join }
    val reasons = plan.collectWithSubqueries { case node =>
      node.getTagValue(LeftToSpark.Tag).getOrElse(Nil).map(_.reason)
    }.flatten
    (joins, reasons)
  }

  protected def rows(sql: String, on: Boolean): Seq[String] =
    withSettings(SlidewiseSettings.Enabled -> on.toString)(
      spark.sql(sql).collect().map(_.toString).sorted.toSeq
    )

  protected def isWindow(sql: String, operators: Int = 1): Unit = {
    assumeAllowed(sql)
    val (joins, reasons) = plansOf(sql)
    assertEquals(reasons, Nil, sql)
    assertEquals(joins.size, operators, sql)
    isAnswered(sql)
  }

  /** The rows are Spark's; whether the query is a window join does not matter. */
  protected def isAnswered(sql: String): Unit = {
    assumeAllowed(sql)
    assertEquals(rows(sql, on = true), rows(sql, on = false), sql)
  }

  protected def isLeft(sql: String, reason: String): Unit = {
    assumeAllowed(sql)
    val (joins, reasons) = plansOf(sql)
    assertEquals(joins, Nil, sql)
    assert(reasons.exists(_.contains(reason)), s"$reasons\n$sql")
  }
}
