"""Hopping windows by their definition, in plain Python: each row is added to each window that holds it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from generated.hopping_query import HoppingQuery, Row, Windows

Group = tuple[Any, ...]


def group_of(values: Sequence[Any]) -> Group:
    """Start, end and keys as a dictionary's key: of equal values, one; all NaN are equal."""
    return tuple(
        "NaN" if isinstance(v, float) and math.isnan(v) else bytes(v) if isinstance(v, bytearray) else v for v in values
    )


def starts(windows: Windows, time: int) -> list[int]:
    start = time - (time - windows.offset) % windows.slide
    found = []
    while start + windows.size > time:
        found.append(start)
        start -= windows.slide
    return found


def _of(column: str, fold: Callable[[list[Any]], Any]) -> Callable[[list[Row]], Any]:
    def folded(rows: list[Row]) -> Any:
        values = [value for row in rows if (value := getattr(row, column)) is not None]
        return fold(values) if values else None

    return folded


def _mean(values: list[Decimal]) -> Decimal:
    return (sum(values, Decimal(0)) / len(values)).quantize(Decimal("0.000001"), ROUND_HALF_UP)


def _above_zero(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.x is not None and row.x > 0]


AGGREGATES: dict[str, Callable[[list[Row]], Any]] = {
    "count(*)": len,
    "count(x)": lambda rows: sum(row.x is not None for row in rows),
    "sum(x)": _of("x", sum),
    "avg(x)": _of("x", lambda values: sum(values) / len(values)),
    "min(x)": _of("x", min),
    "max(x)": _of("x", max),
    "sum(d)": _of("d", sum),
    "avg(d)": _of("d", _mean),
    "min(d)": _of("d", min),
    "max(s)": _of("s", max),
    "min(s)": _of("s", min),
    "sum(x) FILTER (WHERE x > 0)": lambda rows: _of("x", sum)(_above_zero(rows)),
    "count(*) FILTER (WHERE x > 0)": lambda rows: len(_above_zero(rows)),
}


def answer(query: HoppingQuery) -> dict[Group, list[Any]]:
    """For each group, the values of the calls that the oracle knows."""
    groups: dict[Group, list[Row]] = defaultdict(list)
    for row in query.rows:
        if row.t is None or (query.least_x is not None and (row.x is None or row.x < query.least_x)):
            continue
        for start in starts(query.windows, row.t):
            if query.first_start is None or start >= query.first_start:
                keys = (getattr(row, key) for key in query.keys)
                groups[group_of([start, start + query.windows.size, *keys])].append(row)
    known = [AGGREGATES[call] for call in query.calls if call in AGGREGATES]
    return {
        group: [aggregate(rows) for aggregate in known]
        for group, rows in groups.items()
        if query.least_count is None or len(rows) >= query.least_count
    }
