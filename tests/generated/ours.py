"""Slidewise's own aggregates."""

from __future__ import annotations

import random

from generated.call import Call, Compare, Function, Maker
from generated.column import INTEGRAL, NUMERIC
from generated.declarative import ORDERABLE, TAME, addends, pick
from generated.table import Table

TIMES = ("date", "timestamp", "timestamp_ntz", "int", "bigint")


def _geomean(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, NUMERIC)
    if x.domain in TAME and rng.random() < 0.7:
        # DuckDB fails on what has no logarithm.
        positive = f"abs(CAST({x.name} AS DOUBLE)) + 0.5"
        return Call(f"geomean({positive}) {{over}}", f"geomean({positive}) {{over}}", Compare.CLOSE)
    return Call(f"geomean({x.name}) {{over}}", None, Compare.CLOSE)


def _extreme_count(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        return Call(f"{name}({pick(rng, table, ORDERABLE).name}) {{over}}")

    return make


def _arg_extreme(name: str, duckdb: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x, y = pick(rng, table, ORDERABLE), pick(rng, table, ORDERABLE)
        if rng.random() < 0.4:
            return Call(f"{name}({x.name}, id) {{over}}", f"{duckdb}({x.name}, id) {{over}}")
        ties = rng.choice(["", ", 'first'", ", 'last'"])
        return Call(f"{name}({x.name}, {y.name}{ties}) {{over}}", ordered=True)

    return make


def _m4(rng: random.Random, table: Table) -> Call:
    return Call(f"m4({pick(rng, table, ORDERABLE).name}, {pick(rng, table, ORDERABLE).name}) {{over}}", ordered=True)


def _max_subarray_sum(rng: random.Random, table: Table) -> Call:
    x = rng.choice(addends(table))
    tolerance = 1e-12 * x.magnitude * max(table.rows, 1)
    return Call(f"max_subarray_sum({x.name}) {{over}}", None, Compare.CLOSE, tolerance, ordered=True)


def _ewma(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, NUMERIC, tame=True)
    alpha, adjust = rng.choice(["0.1", "0.5", "1", "0.99D"]), rng.choice(["", ", true", ", false"])
    sql = f"ewma({x.name}, {alpha}{adjust}) {{over}}"
    return Call(sql, None, Compare.CLOSE, 1e-12 * x.magnitude, ordered=True)


def _time_weighted_avg(rng: random.Random, table: Table) -> Call:
    t, x = pick(rng, table, TIMES, tame=True), pick(rng, table, NUMERIC, tame=True)
    if rng.random() < 0.5:
        t = table.columns["id"]
    method = rng.choice(["", ", 'locf'", ", 'linear'"])
    # Times in no order may add up to hardly any time, which magnifies the error.
    tolerance = 1e-6 * max(x.magnitude, 1) * max(table.rows, 1)
    sql = f"time_weighted_avg({t.name}, {x.name}{method}) {{over}}"
    return Call(sql, None, Compare.CLOSE, tolerance, ordered=True, time=t.name)


def _counter(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        t, x = pick(rng, table, TIMES, tame=True), rng.choice(addends(table))
        tolerance = 1e-9 * x.magnitude * max(table.rows, 1)
        sql = f"{name}({t.name}, {x.name}) {{over}}"
        return Call(sql, None, Compare.CLOSE, tolerance, ordered=True, time=t.name)

    return make


def _run(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        strict = rng.choice(["", ", true", ", false"])
        return Call(f"{name}({pick(rng, table, ORDERABLE).name}{strict}) {{over}}", ordered=True)

    return make


def _best(name: str, duckdb: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x, k = pick(rng, table, ORDERABLE), rng.choice([1, 2, 5, 100])
        said = x.domain in TAME and x.kind in INTEGRAL
        sql = f"{duckdb}({x.name}, {k}) {{over}}" if said else None
        return Call(f"{name}({x.name}, {k}) {{over}}", sql, ordered=x.domain == "special")

    return make


def _best_by(rng: random.Random, table: Table) -> Call:
    x, y = pick(rng, table, ORDERABLE), pick(rng, table, ORDERABLE)
    return Call(f"top_k_by({x.name}, {y.name}, {rng.choice([1, 2, 5])}) {{over}}", ordered=True)


def _bloom_filter(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, ORDERABLE)
    return Call(f"might_contain(bloom_filter_agg({x.name}, 50) {{over}}, {x.name})")


def _sketch_estimate(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, (*INTEGRAL, "string", "binary"))
    return Call(f"count_min_sketch_estimate(count_min_sketch({x.name}, 0.2D, 0.8D, 7) {{over}}, {x.name})")


def _naive_bayes(rng: random.Random, table: Table) -> Call:
    label = pick(rng, table, (*INTEGRAL, "string", "boolean", "date"), tame=True)
    number, word = pick(rng, table, INTEGRAL, tame=True), pick(rng, table, ("string", "boolean"))
    model = f"naive_bayes_agg({label.name}, named_struct('n', {number.name}, 'w', {word.name})) {{over}}"
    score = f"naive_bayes_score({model}, named_struct('w', {word.name}))"
    return Call(f"array_sort(transform({score}, s -> s.probability))", None, Compare.CLOSE, 1e-9)


# Frames of the last rows are of 1,001 at most, whatever the rows of the table.
LONGEST = 1001
EPSILONS = (0.3, 0.01, 0.0001)


def _approx_count_if(rng: random.Random, table: Table) -> Call:
    x, epsilon = pick(rng, table, INTEGRAL).name, rng.choice(EPSILONS)
    condition = rng.choice([f"{x} > 0", f"{x} IS NULL", "id % 3 = 0", "boolean_0", "true"])
    sql = f"approx_count_if({condition}, {epsilon:.6f}) {{over}}"
    return Call(sql, None, Compare.CLOSE, epsilon * LONGEST, ordered=True)


def _from_0_to_100(rng: random.Random, table: Table) -> str:
    x = pick(rng, table, ORDERABLE).name
    return f"CASE WHEN {x} IS NOT NULL THEN pmod(hash({x}), 101) END"


def _approx_sum(rng: random.Random, table: Table) -> Call:
    x, epsilon = _from_0_to_100(rng, table), rng.choice(EPSILONS)
    x, bound = rng.choice([(x, "100"), (f"({x}) / 100D", "1D")])
    sql = f"approx_sum({x}, {bound}, {epsilon:.6f}) {{over}}"
    return Call(sql, None, Compare.CLOSE, epsilon * LONGEST * (100 if bound == "100" else 1), ordered=True)


def _sliding_sketch(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        ts = f"pmod(hash({pick(rng, table, ORDERABLE).name}), 1000)"
        epsilon, width = rng.choice(EPSILONS), rng.choice([0, 10, 500, 1000])
        x = f", {_from_0_to_100(rng, table)}" if "sum" in name else ""
        sketch = f"{name}({ts}{x}, 1000, {epsilon:.6f}) {{over}}"
        # Both ways may be wrong, by so much of what was since the begin of the window.
        tolerance = 2 * epsilon * table.rows * (100 if x else 1)
        return Call(f"sliding_sketch_estimate({sketch}, 1000, {width})", None, Compare.CLOSE, tolerance)

    return make


FUNCTIONS = [
    Function("geomean", _geomean, 2),
    Function("max_count", _extreme_count("max_count")),
    Function("min_count", _extreme_count("min_count")),
    Function("arg_max", _arg_extreme("arg_max", "arg_max_null")),
    Function("arg_min", _arg_extreme("arg_min", "arg_min_null")),
    Function("m4", _m4),
    Function("max_subarray_sum", _max_subarray_sum, 2),
    Function("ewma", _ewma),
    Function("time_weighted_avg", _time_weighted_avg),
    Function("rate", _counter("rate")),
    Function("increase", _counter("increase")),
    Function("longest_increasing_run", _run("longest_increasing_run")),
    Function("longest_decreasing_run", _run("longest_decreasing_run")),
    Function("top_k", _best("top_k", "max")),
    Function("bottom_k", _best("bottom_k", "min")),
    Function("top_k_by", _best_by),
    Function("bloom_filter_agg", _bloom_filter),
    Function("count_min_sketch_estimate", _sketch_estimate, 0.5),
    Function("naive_bayes_agg", _naive_bayes),
    Function("approx_count_if", _approx_count_if),
    Function("approx_sum", _approx_sum),
    Function("sliding_count_sketch_agg", _sliding_sketch("sliding_count_sketch_agg"), 0.5),
    Function("sliding_sum_sketch_agg", _sliding_sketch("sliding_sum_sketch_agg"), 0.5),
]
