package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions.{col, when}

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.shims.SparkSessions

class QueryPathSuite extends SparkSuite {

  private def pathOf(plan: LogicalPlan): QueryPath =
    QueryPath.along(plan.collect { case node if node.children.nonEmpty => node })

  private def of(length: Int): (QueryPath, LogicalPlan) = {
    val start = spark.range(3).selectExpr("id", "id AS k", "id AS s")
    val rows = (1 to length).foldLeft(start)((rows, i) =>
      rows.withColumn("s", when(col("s") > i, col("s") - 1).otherwise(col("s") + 1))
    )
    val plan = SparkSessions.queryOf(rows).analyzed
    (pathOf(plan), plan)
  }

  private def column(plan: LogicalPlan, name: String): Attribute = plan.output.find(_.name == name).get

  test("columns have the definitions of the columns that they rename or compute") {
    val (path, plan) = of(3)
    assertEquals(path.definitionOf(column(plan, "k")), plan.collectLeaves().head.output.head.canonicalized)
    assertEquals(path.definitionOf(column(plan, "s")).references.size, 1)
    assertEquals(path.definitionOf(column(plan, "s")).collect { case e => e }.size > 20, true)
  }

  test("a column whose definition doubles at each step stays a column") {
    val (path, plan) = of(80)
    assertEquals(path.definitionOf(column(plan, "k")), plan.collectLeaves().head.output.head.canonicalized)
    assert(path.definitionOf(column(plan, "s")).collect { case e => e }.size < 100000)
  }
}
