"""Each function beside what is written today where Spark has none: a list and a lambda, or a UDF over the frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Call:
    """`ours` and `today` stand before OVER; `{w}` in `today` is the whole OVER clause, if it is not at the end."""

    ours: str
    today: str


LIST = "collect_list(x) {w}"
CALLS = [
    Call("geomean(x + 1)", "exp(avg(ln(x + 1)) {w})"),
    Call("max_count(x)", f"size(filter({LIST}, e -> e = array_max({LIST})))"),
    Call("arg_max(t, x, 'first')", "max_by(t, struct(x, -t)) {w}"),
    Call("m4(t, x)", "max_by(t, struct(x, -t)) {w}, min_by(t, struct(x, t)) {w}, first(x) {w}, last(x) {w}"),
    Call("top_k(x, 5)", f"slice(reverse(array_sort({LIST})), 1, 5)"),
    Call(
        "max_subarray_sum(x - 50)",
        "aggregate(collect_list(x - 50) {w}, struct(0L AS s, cast(-1e9 AS bigint) AS b), "
        "(a, e) -> struct(greatest(a.s + e, e) AS s, greatest(a.b, a.s + e, e) AS b), a -> a.b)",
    ),
    Call("ewma(x, 0.1)", "frame_ewma(x) {w}"),
    Call("time_weighted_avg(t, x)", "frame_twa(t, x) {w}"),
    Call("increase(t, x)", "frame_increase(x) {w}"),
    Call("longest_increasing_run(x)", "frame_run(x) {w}"),
    Call("bloom_filter_agg(x, 100)", "collect_set(x) {w}"),
    Call("naive_bayes_agg(x % 2, struct(x))", "frame_classes(x) {w}"),
]


def frame_ewma(x: pd.Series) -> float:
    return float(x.ewm(alpha=0.1).mean().iloc[-1])


def frame_twa(t: pd.Series, x: pd.Series) -> float:
    dt = np.diff(t)
    return float((x.to_numpy()[:-1] * dt).sum() / dt.sum()) if len(dt) else float(x.iloc[-1])


def frame_increase(x: pd.Series) -> float:
    steps = np.diff(x)
    return float(np.where(steps < 0, x.to_numpy()[1:], steps).sum())


def frame_run(x: pd.Series) -> float:
    rises = np.concatenate(([0], np.diff(x.to_numpy()) > 0, [0]))
    return float(np.diff(np.flatnonzero(rises == 0)).max())


def frame_classes(x: pd.Series) -> float:
    return float(x.groupby(x % 2).agg(["count", "mean", "var"]).sum().sum())


UDFS: list[Callable[..., float]] = [frame_ewma, frame_twa, frame_increase, frame_run, frame_classes]
