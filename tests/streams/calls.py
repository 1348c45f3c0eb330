"""The functions of the random queries over streams."""

from __future__ import annotations

from dataclasses import dataclass

from functions.catalogue import ALL
from sparks import SPARK

# `%` for the window, where it is not at the end.
SPARKS = [
    "sum(n)", "sum(x)", "sum(d)", "sum(wide)", "avg(x)", "avg(d)", "avg(n)", "min(s)", "max(s)", "max(ts)", "min(d)",
    "max(wide)", "count(*)", "count(x)", "count(n, s)", "max_by(s, d)", "min_by(x, id)", "max_by(struct(id, s), n)",
    "approx_count_distinct(s)", "percentile_approx(n, 0.5)", "percentile_approx(x, array(0.1, 0.9))",
    "percentile(n, 0.5)", "percentile(d, 0.25)", "collect_list(n)", "collect_list(s)", "array_agg(d)",
    "array_sort(collect_set(g)%)", "stddev(x)", "var_pop(n)",
    "skewness(d)", "kurtosis(g)", "corr(d, g)", "covar_samp(d, g)", "regr_slope(d, g)",
    "first(s)", "last(s)", "first(n) IGNORE NULLS", "last(n) IGNORE NULLS", "any_value(d)",
    "bool_and(b)", "bool_or(b)", "bit_xor(n)", "bit_and(g)", "try_sum(n)", "try_avg(d)", "listagg(s, ',')",
    "histogram_numeric(d, 3)", "hll_sketch_estimate(hll_sketch_agg(s)%)", "max(array(n, g))", "min(struct(d, s))",
    "count_if(b)", "every(b)", "approx_percentile(d, 0.5, 5000)", "string_agg(s)", "mode(s, true)", "mode(g, true)",
    "nth_value(s, 2)", "nth_value(n, 3) IGNORE NULLS", "bitmap_count(bitmap_construct_agg(bitmap_bit_position(id))%)",
    "hex(substring(bitmap_or_agg(CAST(s AS BINARY))%, 1, 9))",
]  # fmt: skip
if SPARK >= (4, 1):
    SPARKS += [
        "theta_sketch_estimate(theta_sketch_agg(s)%)",
        "theta_sketch_estimate(theta_sketch_agg(n)%)",
        "hex(substring(bitmap_and_agg(CAST(s AS BINARY))%, 1, 9))",
    ]
if SPARK >= (4, 2):
    SPARKS += [
        "tuple_sketch_estimate_integer(tuple_sketch_agg_integer(s, g)%)",
        "tuple_sketch_summary_integer(tuple_sketch_agg_integer(n, g)%)",
        "tuple_sketch_estimate_double(tuple_sketch_agg_double(n, CAST(d AS DOUBLE))%)",
    ]
PLACES = [
    "row_number()",
    "rank()",
    "dense_rank()",
    "lag(n)",
    "lag(s, 2, 'none')",
    "lag(x, 1, x)",
    "lag(d, 3)",
    "lag(id, 130)",
    "lag(n) IGNORE NULLS",
    "lag(s, 2, 'none') IGNORE NULLS",
]
OURS = [call for function in ALL for call in function.streams]
# Those of the tests' own Scala; see UserAggregators.scala.
USERS = ["longest_rise(coalesce(n, 0))", "commonest(s)", "last_words(s, id)"]


@dataclass(frozen=True)
class Approximate:
    """A call whose answer may be off by `error` for each row of its frame; `%` as above."""

    call: str
    error: float


@dataclass(frozen=True)
class Spelled:
    """A call that Spark refuses over a frame, and another with the same answer that it takes; `%` as above."""

    call: str
    for_spark: str


SPELLED = [
    Spelled("count(DISTINCT s)", "size(collect_set(s)%)"),
    Spelled("count(DISTINCT n)", "size(collect_set(n)%)"),
    Spelled("count(DISTINCT g, s)", "size(collect_set(if(g IS NULL OR s IS NULL, NULL, struct(g, s)))%)"),
    Spelled("count(DISTINCT struct(g, b))", "size(collect_set(struct(g, b))%)"),
    Spelled("count(DISTINCT x)", "size(collect_set(if(x = 0, 0D, x))%)"),
    Spelled("count(DISTINCT if(b, upper(s), s) COLLATE UTF8_LCASE)", "size(collect_set(lower(s))%)"),
    Spelled("array_sort(collect_list(DISTINCT x)%)", "array_sort(collect_set(if(x = 0, 0D, x))%)"),
    Spelled("sum(DISTINCT n)", "aggregate(collect_set(n)%, CAST(NULL AS BIGINT), (a, v) -> coalesce(a, 0L) + v)"),
    Spelled("max(DISTINCT d)", "max(d)"),
    Spelled("array_sort(collect_list(DISTINCT s)%)", "array_sort(collect_set(s)%)"),
    Spelled("median(n)", "percentile(n, 0.5)"),
    Spelled("percentile_cont(0.9) WITHIN GROUP (ORDER BY d)", "percentile(d, 0.9)"),
    Spelled(
        "percentile_disc(0.25) WITHIN GROUP (ORDER BY x)",
        "get(array_sort(collect_list(x)%), CAST(ceil(0.25 * count(x)%) AS INT) - 1)",
    ),
    Spelled(
        "percentile_disc(0.6) WITHIN GROUP (ORDER BY n DESC)",
        "get(sort_array(collect_list(n)%, false), CAST(ceil(0.6 * count(n)%) AS INT) - 1)",
    ),
]
APPROXIMATE = [Approximate(call, error) for function in ALL for call, error in function.approximate_streams]
