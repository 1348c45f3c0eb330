"""Each function over a list of values in order, from its definition and nothing else."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

Values = Sequence[Any]


def given(values: Values) -> list[Any]:
    return [v for v in values if v is not None]


def geomean(values: Values) -> float | None:
    xs = given(values)
    if not xs:
        return None
    if any(x < 0 for x in xs):
        return math.nan
    return 0.0 if 0 in xs else math.exp(math.fsum(map(math.log, xs)) / len(xs))


def max_count(values: Values) -> int:
    xs = given(values)
    return xs.count(max(xs)) if xs else 0


def min_count(values: Values) -> int:
    xs = given(values)
    return xs.count(min(xs)) if xs else 0


def arg_max(pairs: Sequence[tuple[Any, Any]], last: bool = False) -> Any:
    rows = [p for p in pairs if p[1] is not None]
    best = max((v for _, v in rows), default=None)
    keys = [k for k, v in rows if v == best]
    return (keys[-1] if last else keys[0]) if keys else None


def arg_min(pairs: Sequence[tuple[Any, Any]], last: bool = False) -> Any:
    return arg_max([(k, None if v is None else -v) for k, v in pairs], last)


def m4(points: Sequence[tuple[Any, Any]]) -> tuple[Any, ...] | None:
    ps = [p for p in points if None not in p]
    if not ps:
        return None
    lowest = min(ps, key=lambda p: (p[1], p[0]))
    highest = min(ps, key=lambda p: (-p[1], p[0]))
    return min(ps), max(ps), lowest, highest


def max_subarray_sum(values: Values) -> Any:
    xs = given(values)
    return max((sum(xs[i:j]) for i in range(len(xs)) for j in range(i + 1, len(xs) + 1)), default=None)


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


def time_weighted_avg(points: Sequence[tuple[Any, Any]], linear: bool = False) -> float | None:
    ps = [p for p in points if None not in p]
    if not ps:
        return None
    if ps[0][0] == ps[-1][0]:
        return float(ps[-1][1])
    steps = itertools.pairwise(ps)
    area = math.fsum(((x + y) / 2 if linear else x) * (u - t) for (t, x), (u, y) in steps)
    return area / (ps[-1][0] - ps[0][0])


def increase(points: Sequence[tuple[Any, Any]]) -> Any:
    xs = [x for t, x in points if t is not None and x is not None]
    if len(xs) < 2:
        return None
    return sum(y if y < x else y - x for x, y in itertools.pairwise(xs))


def rate(points: Sequence[tuple[Any, Any]]) -> float | None:
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


def top_k(values: Values, k: int) -> list[Any] | None:
    return sorted(given(values), reverse=True)[:k] or None


def bottom_k(values: Values, k: int) -> list[Any] | None:
    return sorted(given(values))[:k] or None


def top_k_by(pairs: Sequence[tuple[Any, Any]], k: int) -> list[Any] | None:
    rows = sorted((p for p in pairs if p[1] is not None), key=lambda p: -p[1])
    return [x for x, _ in rows[:k]] or None
