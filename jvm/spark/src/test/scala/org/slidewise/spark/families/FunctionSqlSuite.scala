package org.slidewise.spark.families

import munit.FunSuite

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.{DoubleType, StringType}

import org.slidewise.spark.expressions.{DistinctAggregate, NthOfFrame}

/** The texts by which checkpoints know functions. */
class FunctionSqlSuite extends FunSuite {
  private val x = AttributeReference("x", DoubleType)()
  private val s = AttributeReference("s", StringType)()

  for (
    (function, text) <- Seq[(AggregateFunction, String)](
      Sum(x) -> "sum(x)",
      RowNumber() -> "row_number()",
      Rank(Seq(x)) -> "RANK()",
      DenseRank(Seq(x)) -> "DENSE_RANK()",
      First(s, ignoreNulls = false) -> "first(s)",
      First(s, ignoreNulls = true) -> "first(s) IGNORE NULLS",
      Last(s, ignoreNulls = true) -> "last(s) IGNORE NULLS",
      NthOfFrame(s, 2, fromEnd = false, ignoreNulls = false) -> "nth_value(s, 2)",
      NthOfFrame(s, 3, fromEnd = true, ignoreNulls = true) -> "nth_value(s, 3) FROM LAST IGNORE NULLS",
      HyperLogLogPlusPlus(s) -> "approx_count_distinct(s)",
      HyperLogLogPlusPlus(s, 0.01) -> "approx_count_distinct(s) WITHIN 0.01",
      new Percentile(x, Literal(0.9)) -> "percentile(x, 0.9D, 1L)",
      new Percentile(x, Literal(0.9), true) -> "percentile(x, 0.9D, 1L) WITHIN GROUP (ORDER BY x DESC)",
      DistinctAggregate(Count(Seq(s))) -> "count(DISTINCT s)"
    )
  )
    test(text) {
      assertEquals(Families.of(function).sql, text)
    }
}
