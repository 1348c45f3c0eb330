package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.{DataType, IntegerType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.plan.DriverValue

/** A value of the driver is a row to whoever asks for it, and no job runs where only the driver does. */
class DriverValueSuite extends SparkSuite {

  private def of(value: Expression): SparkPlan = {
    spark
    DriverValueExec(value, AttributeReference("v", value.dataType, value.nullable)())
  }

  private def values(value: Expression, dataType: DataType): Seq[Any] = {
    val plan = of(value)
    val rows = Seq(plan.executeCollect(), plan.executeTake(2), plan.executeTail(1), plan.execute().collect())
    assertEquals(rows.map(_.length), Seq(1, 1, 1, 1))
    assertEquals((plan.executeTake(0).length, plan.executeTail(0).length), (0, 0))
    rows.map(_.head.get(0, dataType)).distinct
  }

  test("a row with the value") {
    assertEquals(values(Add(Literal(2), Literal(3)), IntegerType), Seq[Any](5))
    assertEquals(values(Literal("text"), StringType), Seq[Any](UTF8String.fromString("text")))
    assertEquals(values(Literal(null, IntegerType), IntegerType), Seq[Any](null))
  }

  test("equal values are reused, whatever their columns are called") {
    assert(of(Literal(1)).sameResult(of(Literal(1))))
    assert(!of(Literal(1)).sameResult(of(Literal(2))))
    def logical(value: Int) = DriverValue(Literal(value), AttributeReference("v", IntegerType)())
    assert(logical(1).sameResult(logical(1)))
    assert(!logical(1).sameResult(logical(2)))
  }

  test("no job runs") {
    assertEquals(jobsOf(assertEquals(of(Literal(7)).executeTake(2).map(_.getInt(0)).toSeq, Seq(7))), 0)
    assertEquals(jobsOf(assertEquals(of(Literal(7)).executeCollect().map(_.getInt(0)).toSeq, Seq(7))), 0)
    assertEquals(jobsOf(assertEquals(of(Literal(7)).execute().count(), 1L)), 1)
  }
}
