"""The generator draws every function that Spark allows over a window."""

from __future__ import annotations

from pyspark.sql import SparkSession
from sparks import SPARK

from generated import multisets
from generated.query import FUNCTIONS

SPARK_REFUSES = {
    "grouping": "not a window function",
    "grouping_id": "not a window function",
    "measure": "only of a metric view",
}
# Their input is a column of sketches: semantics/test_sketches.py, sql/functions.
BY_HAND = {
    "sliding_sketch_union_agg",
    "count_min_sketch_merge_agg",
    "approx_top_k_accumulate",
    "approx_top_k_combine",
    "hll_union_agg",
    "kll_merge_agg_bigint",
    "kll_merge_agg_double",
    "kll_merge_agg_float",
    "theta_intersection_agg",
    "theta_union_agg",
    "tuple_intersection_agg_double",
    "tuple_intersection_agg_integer",
    "tuple_union_agg_double",
    "tuple_union_agg_integer",
}
SYNONYMS = {
    "any": "bool_or",
    "some": "bool_or",
    "every": "bool_and",
    "first_value": "first",
    "last_value": "last",
}


# Among the most frequent values, Spark 3.5 takes any.
NOT_DETERMINED = {"mode"} if SPARK < (4, 0) else set()


def test_every_function_is_drawn(spark: SparkSession) -> None:
    registry = spark._jsparkSession.sessionState().functionRegistry()
    names, functions = set(), registry.listFunction().iterator()
    while functions.hasNext():
        info = registry.lookupFunction(functions.next())
        if info.isDefined() and info.get().getGroup() in ("agg_funcs", "window_funcs"):
            names.add(info.get().getName())
    drawn = {function.name for function in (*FUNCTIONS, *multisets.FUNCTIONS)} | SYNONYMS.keys()
    assert names - drawn - SPARK_REFUSES.keys() - BY_HAND - NOT_DETERMINED == set()
