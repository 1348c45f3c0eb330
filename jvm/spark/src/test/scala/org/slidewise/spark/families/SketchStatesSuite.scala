package org.slidewise.spark.families

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, TypedImperativeAggregate}

import org.slidewise.spark.SparkSuite

/** What the descriptions say of the states of Spark's sketches, compared with the states. */
class SketchStatesSuite extends SparkSuite {
  private val calls = Seq(
    "hll_sketch_agg(id)",
    "hll_union_agg(b)",
    "theta_sketch_agg(id)",
    "theta_union_agg(b)",
    "theta_intersection_agg(b)",
    "tuple_sketch_agg_double(id, 1.0D)",
    "tuple_sketch_agg_integer(id, 1)",
    "tuple_union_agg_double(b)",
    "tuple_union_agg_integer(b)",
    "tuple_intersection_agg_double(b)",
    "tuple_intersection_agg_integer(b)",
    "kll_sketch_agg_bigint(id)",
    "kll_sketch_agg_double(d)",
    "kll_sketch_agg_float(f)",
    "kll_merge_agg_bigint(b)",
    "kll_merge_agg_double(b)",
    "kll_merge_agg_float(b)"
  )

  private def function(call: String): Option[TypedImperativeAggregate[_]] = {
    val columns = "id, CAST(id AS DOUBLE) d, CAST(id AS FLOAT) f, CAST('b' AS BINARY) b"
    val query = s"SELECT $call FROM (SELECT $columns FROM range(1))"
    Try(spark.sql(query).queryExecution.analyzed).toOption.flatMap { plan =>
      plan.expressions
        .flatMap(_.collect { case a: AggregateExpression => a.aggregateFunction })
        .collectFirst { case typed: TypedImperativeAggregate[_] =>
          typed
        }
    }
  }

  private def differ[T](function: TypedImperativeAggregate[T]): Boolean = {
    val state = function.createAggregationBuffer()
    Try(function.deserialize(function.serialize(state))).toOption.exists(_.getClass ne state.getClass)
  }

  test("a sketch whose states have another class once they have been read is described so") {
    val found = calls.flatMap(call => function(call).map(call -> _))
    assert(found.size >= 2, found)
    for ((call, sketch) <- found) {
      val description = Families.of(sketch)
      if (!description.mergeKeepsRight) assertEquals(description.hasStatesOfTwoKinds, differ(sketch), call)
    }
  }
}
