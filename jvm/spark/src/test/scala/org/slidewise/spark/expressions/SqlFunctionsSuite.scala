package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

import munit.FunSuite

class SqlFunctionsSuite extends FunSuite {

  test("a running session keeps its own function of the name of one of Slidewise's") {
    val registry = FunctionRegistry.builtin.clone()
    registry.createOrReplaceTempFunction("geomean", (_: Seq[Expression]) => Literal(7), "scala_udf")
    SqlFunctions.registerIn(registry)
    val named = registry.listFunction().filter(_.funcName == "geomean")
    assertEquals(named.map(registry.lookupFunction(_, Seq(Literal(1)))), Seq[Expression](Literal(7)))
    assertEquals(registry.listFunction().count(_.funcName == "top_k"), 1)
  }
}
