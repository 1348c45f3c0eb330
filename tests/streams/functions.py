"""The functions of the random queries over streams."""

from __future__ import annotations

from dataclasses import dataclass

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
    "count_if(b)", "every(b)", "approx_percentile(d, 0.5, 100)", "string_agg(s)",
]  # fmt: skip
PLACES = [
    "row_number()",
    "rank()",
    "dense_rank()",
    "lag(n)",
    "lag(s, 2, 'none')",
    "lag(x, 1, x)",
    "lag(d, 3)",
    "lag(id, 130)",
]
OURS = [
    "geomean(abs(d) + 0.5)", "geomean(x)", "max_count(n)", "min_count(s)", "max_count(x)", "arg_max(s, n)",
    "arg_min(d, x, 'last')", "arg_max(id, g, 'first')", "m4(ts, d)", "m4(id, x)", "m4(s, n)", "max_subarray_sum(d)",
    "max_subarray_sum(n)", "ewma(d, 0.1)", "ewma(n, 0.5, false)", "time_weighted_avg(ts, d)",
    "time_weighted_avg(ts, price, 'linear')", "rate(ts, d)", "increase(ts, n)", "longest_increasing_run(n)",
    "longest_increasing_run(s, false)", "longest_decreasing_run(d)", "top_k(n, 3)", "top_k(x, 2)", "bottom_k(s, 5)",
    "top_k_by(id, d, 2)", "top_k_by(s, n, 100)", "might_contain(bloom_filter_agg(s, 50)%, s)",
    "might_contain(bloom_filter_agg(n, 1000)%, id)",
    "count_min_sketch_estimate(count_min_sketch(n, 0.2D, 0.8D, 7)%, n)",
    "array_sort(transform(naive_bayes_score(naive_bayes_agg(g, named_struct('n', mod(n, 3), 's', s))%, "
    "named_struct('s', s)), a -> a.probability))",
]  # fmt: skip
# Those of the tests' own Scala; see UserAggregators.scala.
USERS = ["longest_rise(coalesce(n, 0))", "commonest(s)", "last_words(s, id)"]


@dataclass(frozen=True)
class Approximate:
    """A call whose answer may be off by `error` for each row of its frame; `%` as above."""

    call: str
    error: float


APPROXIMATE = [
    Approximate("approx_count_if(n > 0, 0.1)", 0.1),
    Approximate("approx_count_if(b, 0.004)", 0.004),
    Approximate("approx_sum(price, 1, 0.05)", 0.05),
    Approximate("approx_sum(g, 1, 0.002)", 0.002),
    # Both Spark's own way and Slidewise's may be wrong by so much.
    Approximate(
        "sliding_sketch_estimate(sliding_count_sketch_agg(ts, INTERVAL '1' HOUR, 0.1)%, ts, INTERVAL '1' MINUTE)", 0.2
    ),
    Approximate(
        "sliding_sketch_estimate(sliding_sum_sketch_agg(ts, g, INTERVAL '10' MINUTE, 0.001)%, ts, INTERVAL '9' MINUTE)",
        0.002,
    ),
]
