"""Each function beside what is written today where Spark has none: a list and a lambda, or a UDF over the frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

NUMBERS = "abs({a} - {b}) <= 1e-9 * greatest(1, abs({b}))"
EQUAL = "{a} <=> {b}"


@dataclass(frozen=True)
class Call:
    """`{w}` is the OVER clause. `same`: that ours, `{a}`, answers as today's, `{b}`; None where one is an estimate."""

    ours: str
    today: str
    same: str | None = NUMBERS

    @property
    def name(self) -> str:
        return self.ours.replace(" {w}", "")

    @property
    def without(self) -> str:
        return self.today.replace(" {w}", "")


LIST = "collect_list(x) {w}"
COUNT = (
    "aggregate(collect_list(struct(x, 1L AS n)) {{w}}, cast(null AS struct<x:bigint,n:bigint>), (a, e) -> "
    "CASE WHEN a IS NULL OR {beats} THEN e WHEN e.x = a.x THEN struct(e.x AS x, a.n + 1 AS n) ELSE a END, a -> a.n)"
)
DOWN = "transform(slice(reverse(array_sort(collect_list(struct(x, -t AS u, t)) {w})), 1, 5), e -> e.t)"
BEST_SUM = (
    "aggregate(collect_list(x - 50) {w}, struct(0L AS s, cast(-1e9 AS bigint) AS b), "
    "(a, e) -> struct(greatest(a.s + e, e) AS s, greatest(a.b, a.s + e, e) AS b), a -> a.b)"
)
LATELY = "aggregate(collect_list(struct(t, x)) {w}, 0L, (a, e) -> a + if(e.t >= t - 500, e.x, 0L))"
M4 = "struct(t AS t, x AS v)"
CALLS = [
    Call("geomean(x + 1) {w}", "exp(avg(ln(x + 1)) {w})"),
    Call("max_count(x) {w}", COUNT.format(beats="e.x > a.x")),
    Call("min_count(x) {w}", COUNT.format(beats="e.x < a.x")),
    Call("arg_max(t, x, 'first') {w}", "max_by(t, struct(x, -t)) {w}"),
    Call("arg_min(t, x, 'last') {w}", "min_by(t, struct(x, -t)) {w}"),
    Call(
        "m4(t, x) {w}",
        f"struct(first({M4}) {{w}} AS first, last({M4}) {{w}} AS last, min_by({M4}, struct(x, t)) {{w}} AS lowest, "
        f"max_by({M4}, struct(x, -t)) {{w}} AS highest)",
        EQUAL,
    ),
    Call("top_k(x, 5) {w}", f"slice(reverse(array_sort({LIST})), 1, 5)", EQUAL),
    Call("bottom_k(x, 5) {w}", f"slice(array_sort({LIST}), 1, 5)", EQUAL),
    Call("top_k_by(t, x, 5) {w}", DOWN, EQUAL),
    Call("max_subarray_sum(x - 50) {w}", BEST_SUM),
    Call("ewma(x, 0.1) {w}", "frame_ewma(x) {w}"),
    Call("time_weighted_avg(t, x) {w}", "frame_twa(t, x) {w}"),
    Call("rate(t, x) {w}", "frame_rate(t, x) {w}"),
    Call("increase(t, x) {w}", "frame_increase(x) {w}"),
    Call("longest_increasing_run(x) {w}.length", "frame_rise(x) {w}"),
    Call("longest_decreasing_run(x) {w}.length", "frame_fall(x) {w}"),
    Call("might_contain(bloom_filter_agg(x, 101) {w}, 5)", "array_contains(collect_set(x) {w}, 5)", None),
    Call(
        "count_min_sketch_estimate(count_min_sketch(x, 0.1D, 0.9D, 1) {w}, 5)",
        f"size(filter({LIST}, e -> e = 5))",
        None,
    ),
    Call("naive_bayes_agg(x % 2, struct(x)) {w}", "frame_classes(x) {w}", None),
    Call("approx_count_if(x > 50, 0.01) {w}", "count_if(x > 50) {w}", None),
    Call("approx_sum(x, 100, 0.01) {w}", "sum(x) {w}", None),
    Call(
        "sliding_sketch_estimate(sliding_count_sketch_agg(t, 1000, 0.05) {w}, t, 500)",
        "size(filter(collect_list(t) {w}, e -> e >= t - 500))",
        None,
    ),
    Call("sliding_sketch_estimate(sliding_sum_sketch_agg(t, x, 1000, 0.05) {w}, t, 500)", LATELY, None),
]
WITHOUT_A_PEER = """`count_min_sketch_merge_agg` and `sliding_sketch_union_agg` merge sketches, which Spark cannot;
`naive_bayes_predict`, `naive_bayes_score` and `sliding_sketch_bounds` are of one row, without a frame."""


def frame_ewma(x: pd.Series) -> float:
    return float(x.ewm(alpha=0.1).mean().iloc[-1])


def frame_twa(t: pd.Series, x: pd.Series) -> float:
    dt = np.diff(t)
    return float((x.to_numpy()[:-1] * dt).sum() / dt.sum()) if len(dt) else float(x.iloc[-1])


def frame_increase(x: pd.Series) -> float | None:
    steps = np.diff(x)
    return float(np.where(steps < 0, x.to_numpy()[1:], steps).sum()) if len(steps) else None


def frame_rate(t: pd.Series, x: pd.Series) -> float | None:
    grown = frame_increase(x)
    return None if grown is None else grown / float(t.iloc[-1] - t.iloc[0])


def frame_rise(x: pd.Series) -> float:
    return _run(np.diff(x) > 0)


def frame_fall(x: pd.Series) -> float:
    return _run(np.diff(x) < 0)


def _run(goes_on: np.ndarray) -> float:
    return float(np.diff(np.flatnonzero(np.concatenate(([0], goes_on, [0])) == 0)).max())


def frame_classes(x: pd.Series) -> float:
    return float(x.groupby(x % 2).agg(["count", "mean", "var"]).sum().sum())


UDFS: list[Callable[..., float | None]] = [
    frame_ewma,
    frame_twa,
    frame_increase,
    frame_rate,
    frame_rise,
    frame_fall,
    frame_classes,
]
