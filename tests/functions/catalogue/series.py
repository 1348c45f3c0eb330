"""Time series, sequences and counters."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any

from generated.call import Call, Compare, Maker
from generated.column import NUMERIC
from generated.declarative import ORDERABLE, addends, pick
from generated.table import Table

from functions.catalogue.tested import Peer, Tested, Values, column, columns, given

TIMES = ("date", "timestamp", "timestamp_ntz", "int", "bigint")


def max_subarray_sum(values: Values) -> Any:
    xs = given(values)
    return max((sum(xs[i:j]) for i in range(len(xs)) for j in range(i + 1, len(xs) + 1)), default=None)


def max_drawdown(values: Values) -> Any:
    xs = given(values)
    falls = (x - y for i, x in enumerate(xs) for y in xs[i + 1 :])
    return max([x - x, *falls]) if (x := next(iter(xs), None)) is not None else None


def ewma(values: Values, alpha: float, adjust: bool = True) -> float | None:
    xs = given(values)
    if not xs:
        return None
    if not adjust:
        mean = xs[0]
        for x in xs[1:]:
            mean = (1 - alpha) * mean + alpha * x
        return float(mean)
    weights = [(1 - alpha) ** i for i in range(len(xs))][::-1]
    return math.fsum(w * x for w, x in zip(weights, xs, strict=True)) / math.fsum(weights)


def time_weighted_avg(points: Sequence[tuple[Any, ...]], linear: bool = False) -> float | None:
    ps = [p for p in points if None not in p]
    if not ps:
        return None
    if ps[0][0] == ps[-1][0]:
        return float(ps[-1][1])
    steps = itertools.pairwise(ps)
    area = math.fsum(((x + y) / 2 if linear else x) * (u - t) for (t, x), (u, y) in steps)
    return area / (ps[-1][0] - ps[0][0])


def increase(points: Sequence[tuple[Any, ...]]) -> Any:
    xs = [x for t, x in points if t is not None and x is not None]
    if len(xs) < 2:
        return None
    return sum(y if y < x else y - x for x, y in itertools.pairwise(xs))


def rate(points: Sequence[tuple[Any, ...]]) -> float | None:
    ts = [t for t, x in points if t is not None and x is not None]
    grown = increase(points)
    return None if grown is None or ts[0] == ts[-1] else grown / (ts[-1] - ts[0])


def longest_increasing_run(values: Values, strict: bool = True) -> tuple[Any, ...] | None:
    rows = [(i, x) for i, x in enumerate(values, 1) if x is not None]
    best: tuple[Any, ...] | None = None
    for start in range(len(rows)):
        end = start
        while end + 1 < len(rows) and (
            rows[end + 1][1] > rows[end][1] or (not strict and rows[end + 1][1] == rows[end][1])
        ):
            end += 1
        if best is None or end - start + 1 > best[0]:
            best = (end - start + 1, rows[start][0], rows[end][0], rows[start][1], rows[end][1])
    return best


def longest_decreasing_run(values: Values, strict: bool = True) -> tuple[Any, ...] | None:
    run = longest_increasing_run([None if x is None else -x for x in values], strict)
    return run and (*run[:3], -run[3], -run[4])


def _draw_max_subarray_sum(rng: random.Random, table: Table) -> Call:
    x = rng.choice(addends(table))
    tolerance = 1e-12 * x.magnitude * max(table.rows, 1)
    return Call(f"max_subarray_sum({x.name}) {{over}}", None, Compare.CLOSE, tolerance, ordered=True)


def _draw_max_drawdown(rng: random.Random, table: Table) -> Call:
    return Call(f"max_drawdown({rng.choice(addends(table)).name}) {{over}}", ordered=True)


def _draw_ewma(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, NUMERIC, tame=True)
    alpha, adjust = rng.choice(["0.1", "0.5", "1", "0.99D"]), rng.choice(["", ", true", ", false"])
    sql = f"ewma({x.name}, {alpha}{adjust}) {{over}}"
    return Call(sql, None, Compare.CLOSE, 1e-12 * x.magnitude, ordered=True)


def _draw_time_weighted_avg(rng: random.Random, table: Table) -> Call:
    t, x = pick(rng, table, TIMES, tame=True), pick(rng, table, NUMERIC, tame=True)
    if rng.random() < 0.5:
        t = table.columns["id"]
    method = rng.choice(["", ", 'locf'", ", 'linear'"])
    # Times in no order may add up to hardly any time, which magnifies the error.
    tolerance = 1e-6 * max(x.magnitude, 1) * max(table.rows, 1)
    sql = f"time_weighted_avg({t.name}, {x.name}{method}) {{over}}"
    return Call(sql, None, Compare.CLOSE, tolerance, ordered=True, time=t.name)


def _draw_counter(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        t, x = pick(rng, table, TIMES, tame=True), rng.choice(addends(table))
        tolerance = 1e-9 * x.magnitude * max(table.rows, 1)
        sql = f"{name}({t.name}, {x.name}) {{over}}"
        return Call(sql, None, Compare.CLOSE, tolerance, ordered=True, time=t.name)

    return make


def _draw_run(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        strict = rng.choice(["", ", true", ", false"])
        return Call(f"{name}({pick(rng, table, ORDERABLE).name}{strict}) {{over}}", ordered=True)

    return make


RUN = "struct<length:bigint,first_position:bigint,last_position:bigint,start_value:{kind},end_value:{kind}>"
BEST_SUM = (
    "aggregate(collect_list(x - 50) {w}, struct(0L AS s, cast(-1e9 AS bigint) AS b), "
    "(a, e) -> struct(greatest(a.s + e, e) AS s, greatest(a.b, a.s + e, e) AS b), a -> a.b)"
)
GREATEST_FALL = (
    "aggregate(collect_list(x) {w}, struct(cast(-1e9 AS bigint) AS p, 0L AS f), "
    "(a, e) -> struct(greatest(a.p, e) AS p, greatest(a.f, a.p - e) AS f), a -> a.f)"
)
FUNCTIONS = [
    Tested(
        "max_subarray_sum",
        frames={
            "max_subarray_sum(x)": lambda rows: max_subarray_sum(column(rows, "x")),
            "max_subarray_sum(d)": lambda rows: max_subarray_sum(column(rows, "d")),
        },
        draw=_draw_max_subarray_sum,
        weight=2,
        within_group=["max_subarray_sum(x)"],
        refused_unordered=["max_subarray_sum(x)"],
        any_number={"max_subarray_sum(x)": ("sum", 8.0)},
        of_nulls="max_subarray_sum(x)",
        streams=["max_subarray_sum(d)", "max_subarray_sum(n)"],
        refusals=[("max_subarray_sum(s)", "UNEXPECTED_INPUT_TYPE", ["first", "NUMERIC", "INTERVAL DAY TO SECOND"])],
        peer=Peer("max_subarray_sum(x - 50) {w}", BEST_SUM),
    ),
    Tested(
        "max_drawdown",
        frames={
            "max_drawdown(x)": lambda rows: max_drawdown(column(rows, "x")),
            "max_drawdown(d)": lambda rows: max_drawdown(column(rows, "d")),
        },
        draw=_draw_max_drawdown,
        within_group=["max_drawdown(x)"],
        refused_unordered=["max_drawdown(x)"],
        any_number={"max_drawdown(-x)": ("sum", 2.0)},
        of_nulls="max_drawdown(x)",
        streams=["max_drawdown(d)", "max_drawdown(n)"],
        refusals=[("max_drawdown(s)", "UNEXPECTED_INPUT_TYPE", ["first", "NUMERIC", "INTERVAL DAY TO SECOND"])],
        peer=Peer("max_drawdown(x) {w}", GREATEST_FALL),
    ),
    Tested(
        "ewma",
        frames={
            "ewma(x, 0.3)": lambda rows: ewma(column(rows, "x"), 0.3),
            "ewma(d, 0.9, false)": lambda rows: ewma(column(rows, "d"), 0.9, adjust=False),
            "ewma(x, 1)": lambda rows: ewma(column(rows, "x"), 1),
        },
        draw=_draw_ewma,
        within_group=["ewma(x, 0.1)", "ewma(x, 0.5, false)"],
        refused_unordered=["ewma(x, 0.5)"],
        any_number={"ewma(x, 0.5)": ("double", 13 / 3)},
        of_nulls="ewma(x, 0.5)",
        streams=["ewma(d, 0.1)", "ewma(n, 0.5, false)"],
        refusals=[
            ("ewma(x, 0)", "VALUE_OUT_OF_RANGE", ["`alpha`", "(0, 1]", "0.0"]),
            ("ewma(x, 1.5)", "VALUE_OUT_OF_RANGE", ["`alpha`", "(0, 1]", "1.5"]),
            ("ewma(x, CAST(NULL AS DOUBLE))", "VALUE_OUT_OF_RANGE", ["`alpha`", "(0, 1]", "NULL"]),
            ("ewma(x, i)", "NON_FOLDABLE_INPUT", ["`alpha`"]),
            ("ewma(a, 0.5)", "UNEXPECTED_INPUT_TYPE", ["first", "NUMERIC", "ARRAY"]),
            ("ewma(INTERVAL '1' DAY, 0.5)", "UNEXPECTED_INPUT_TYPE", ["first", "NUMERIC"]),
            ("ewma(x, a)", "UNEXPECTED_INPUT_TYPE", ["second", "NUMERIC"]),
        ],
        peer=Peer("ewma(x, 0.1) {w}", "frame_ewma(x) {w}"),
    ),
    Tested(
        "time_weighted_avg",
        frames={
            "time_weighted_avg(t, x)": lambda rows: time_weighted_avg(columns(rows, "tx")),
            "time_weighted_avg(t, d, 'linear')": lambda rows: time_weighted_avg(columns(rows, "td"), linear=True),
        },
        draw=_draw_time_weighted_avg,
        within_group=["time_weighted_avg(t, x)", "time_weighted_avg(timestamp_seconds(t), x, 'linear')"],
        refused_unordered=["time_weighted_avg(i, x)"],
        any_number={"time_weighted_avg(i, x)": ("double", 3.0)},
        of_nulls="time_weighted_avg(x, x)",
        streams=["time_weighted_avg(ts, d)", "time_weighted_avg(ts, price, 'linear')"],
        refusals=[
            ("time_weighted_avg(i, x, 'cubic')", "INVALID_ARG_VALUE", ["`method`", "'locf' or 'linear'", "cubic"]),
            ("time_weighted_avg(s, x)", "UNEXPECTED_INPUT_TYPE", ["first", "TIMESTAMP"]),
        ],
        peer=Peer("time_weighted_avg(t, x) {w}", "frame_twa(t, x) {w}"),
    ),
    Tested(
        "rate",
        frames={"rate(timestamp_seconds(t), x)": lambda rows: rate(columns(rows, "tx"))},
        draw=_draw_counter("rate"),
        within_group=["rate(t, x)"],
        refused_unordered=["rate(i, x)"],
        any_number={"rate(i, x)": ("double", 2.0)},
        of_nulls="rate(x, x)",
        streams=["rate(ts, d)"],
        refusals=[("rate(i, s)", "UNEXPECTED_INPUT_TYPE", ["second", "NUMERIC"])],
        peer=Peer("rate(t, x) {w}", "frame_rate(t, x) {w}"),
    ),
    Tested(
        "increase",
        frames={
            "increase(t, x)": lambda rows: increase(columns(rows, "tx")),
            "increase(t, d)": lambda rows: increase(columns(rows, "td")),
        },
        draw=_draw_counter("increase"),
        within_group=["increase(t, x)"],
        refused_unordered=["increase(i, x)"],
        any_number={"increase(i, x)": ("sum", 2.0)},
        of_nulls="increase(x, x)",
        streams=["increase(ts, n)"],
        peer=Peer("increase(t, x) {w}", "frame_increase(x) {w}"),
    ),
    Tested(
        "longest_increasing_run",
        frames={
            "longest_increasing_run(x)": lambda rows: longest_increasing_run(column(rows, "x")),
            "longest_increasing_run(x, false)": lambda rows: longest_increasing_run(column(rows, "x"), strict=False),
        },
        draw=_draw_run("longest_increasing_run"),
        within_group=["longest_increasing_run(x)", "longest_increasing_run(s)"],
        refused_unordered=["longest_increasing_run(x)"],
        any_type={"longest_increasing_run({x})": RUN},
        of_nulls="longest_increasing_run(x)",
        streams=["longest_increasing_run(n)", "longest_increasing_run(s, false)"],
        refusals=[
            ("longest_increasing_run(x, 1)", "UNEXPECTED_INPUT_TYPE", ["second", "BOOLEAN"]),
            ("longest_increasing_run(x, CAST(NULL AS BOOLEAN))", "UNEXPECTED_NULL", ["`strict`"]),
        ],
        peer=Peer("longest_increasing_run(x) {w}.length", "frame_rise(x) {w}"),
    ),
    Tested(
        "longest_decreasing_run",
        frames={
            "longest_decreasing_run(d)": lambda rows: longest_decreasing_run(column(rows, "d")),
            "longest_decreasing_run(x, false)": lambda rows: longest_decreasing_run(column(rows, "x"), strict=False),
        },
        draw=_draw_run("longest_decreasing_run"),
        within_group=["longest_decreasing_run(x, false)", "longest_decreasing_run(x, true)"],
        refused_unordered=["longest_decreasing_run(x, false)"],
        any_type={"longest_decreasing_run({x}, false)": RUN},
        of_nulls="longest_decreasing_run(x)",
        streams=["longest_decreasing_run(d)"],
        peer=Peer("longest_decreasing_run(x) {w}.length", "frame_fall(x) {w}"),
    ),
]
