package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions.{Abs, Expression, ExpressionInfo, Literal}

import munit.FunSuite

class SqlFunctionsSuite extends FunSuite {

  test("a running session keeps its own function of the name of one of Slidewise's") {
    val registry = FunctionRegistry.builtin.clone()
    val spark = registry.listFunction().find(_.funcName == "abs").get
    val (own, other) = (spark.copy(funcName = "geomean"), spark.copy(funcName = "top_k"))
    registry.registerFunction(
      own,
      new ExpressionInfo(classOf[Abs].getName, "geomean"),
      (_: Seq[Expression]) => Literal(7)
    )
    SqlFunctions.registerIn(registry)
    assertEquals(registry.lookupFunction(own, Seq(Literal(1))), Literal(7): Expression)
    assert(registry.functionExists(other))
  }
}
