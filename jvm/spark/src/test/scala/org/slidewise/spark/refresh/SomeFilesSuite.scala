package org.slidewise.spark.refresh

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.shims.{LogicalData, SparkSessions}

/** Estimates of shares read the same few files of a table for a part of it as for all of it. */
class SomeFilesSuite extends SparkSuite {
  private def table(files: Int, columns: String*): DataFrame = {
    val folder = Files.createTempDirectory("some").resolve("files").toString
    spark.range(0, 200L * files, 1, files).selectExpr("id" +: columns: _*).write.parquet(folder)
    spark.read.parquet(folder)
  }

  private def planOf(rows: DataFrame): LogicalPlan = SparkSessions.queryOf(rows).analyzed

  private def idsIn(plan: LogicalPlan): Set[Long] =
    LogicalData.of(spark, plan).select("id").collect().map(_.getLong(0)).toSet

  test("a part of the table is read from the same files as the table") {
    val rows = table(200)
    val some = SomeFiles.of(planOf(rows)).getOrElse(fail("no estimate"))
    val all = idsIn(some(planOf(rows)))
    val part = idsIn(some(planOf(rows.where("id % 4 = 0"))))
    assert(all.size >= 200 * 5 && all.size <= 200 * 60, s"${all.size} rows of 40,000")
    assertEquals(part, all.filter(_ % 4 == 0))
  }

  test("tables of few files, or of files of other sizes, or several tables, give no estimate") {
    assertEquals(SomeFiles.of(planOf(table(39))).isDefined, false)
    assertEquals(SomeFiles.of(planOf(table(40))).isDefined, true)
    val skewed = "repeat(uuid(), IF(id < 200, 400, 0)) AS s"
    assertEquals(SomeFiles.of(planOf(table(60, skewed))).isDefined, false)
    val (a, b) = (table(50), table(50))
    assertEquals(SomeFiles.of(planOf(a.join(b, "id"))).isDefined, false)
    assertEquals(SomeFiles.of(planOf(spark.range(10).toDF())).isDefined, false)
  }
}
