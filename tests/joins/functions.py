"""Aggregates of random window joins: in Spark, in DuckDB if it has them, and in Python if the result is exact."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from joins.values import rank

Row = dict[str, Any]


@dataclass(frozen=True)
class Function:
    spark: str
    duckdb: str | None
    python: Callable[[Sequence[Row]], Any] | None


def _of(column: str, value: Callable[[list[Any]], Any], empty: Any = None) -> Callable[[Sequence[Row]], Any]:
    def answer(rows: Sequence[Row]) -> Any:
        values = [row[column] for row in rows if row[column] is not None]
        return value(values) if values else empty

    return answer


def _mean_of_doubles(values: list[float]) -> float:
    finite = all(map(math.isfinite, values))
    return math.fsum(values) / len(values) if finite else sum(values) / len(values)


def _distinct(values: list[Any]) -> int:
    return len({rank(value) for value in values})


def _median(values: list[Any]) -> float:
    return float(statistics.median(values))


def _newest(rows: Sequence[Row]) -> Any:
    return max(rows, key=lambda row: (rank(row["t"]), row["id"]))["id"] if rows else None


FUNCTIONS: list[Function] = [
    Function("count(*)", "count(*)", len),
    Function("count(e.v)", "count(e.v)", _of("v", len, 0)),
    Function("sum(e.v)", "sum(e.v)", _of("v", sum)),
    Function("try_sum(e.v)", "sum(e.v)", _of("v", sum)),
    Function(
        "coalesce(sum(e.v), 0) + count(*)",
        "coalesce(sum(e.v), 0) + count(*)",
        lambda r: (_of("v", sum)(r) or 0) + len(r),
    ),
    Function("avg(e.v)", "avg(e.v)", _of("v", lambda values: sum(values) / len(values))),
    Function("min(e.v)", "min(e.v)", _of("v", min)),
    Function("max(e.w)", "max(e.w)", _of("w", lambda values: max(values, key=rank))),
    Function("min(e.w)", "min(e.w)", _of("w", lambda values: min(values, key=rank))),
    Function("avg(e.w)", None, _of("w", _mean_of_doubles)),
    Function("sum(e.d)", "sum(e.d)", _of("d", lambda values: sum(values, Decimal(0)))),
    Function("avg(e.d)", None, None),
    Function("max(e.d)", "max(e.d)", _of("d", max)),
    Function("min(e.s)", "min(e.s)", _of("s", lambda values: min(values, key=str.encode))),
    Function("max(e.s)", "max(e.s)", _of("s", lambda values: max(values, key=str.encode))),
    Function("min(e.day)", "min(e.day)", _of("day", min)),
    Function("stddev(e.v)", None, _of("v", lambda values: statistics.stdev(values) if len(values) > 1 else None)),
    Function("var_pop(e.v)", "var_pop(e.v)", _of("v", statistics.pvariance)),
    Function("max_by(e.id, struct(e.t, e.id))", None, _newest),
    Function("min_by(e.s, struct(e.t, e.id))", None, None),
    Function("count(DISTINCT e.v)", "count(DISTINCT e.v)", _of("v", _distinct, 0)),
    Function("sum(DISTINCT e.v)", "sum(DISTINCT e.v)", _of("v", lambda values: sum(set(values)))),
    Function("count(DISTINCT e.w)", None, _of("w", _distinct, 0)),
    Function("median(e.v)", "median(e.v)", _of("v", _median)),
    Function("percentile(e.v, 0.25)", "quantile_cont(e.v, 0.25)", None),
    Function("approx_percentile(e.v, 0.5)", None, None),
    Function("approx_count_distinct(e.s)", None, None),
    Function("sort_array(collect_list(e.v))", None, _of("v", sorted, [])),
    Function("sort_array(collect_set(e.s))", None, _of("s", lambda values: sorted(set(values), key=str.encode), [])),
    Function(
        "sum(e.v) FILTER (WHERE e.f > 1)",
        "sum(e.v) FILTER (WHERE e.f > 1)",
        lambda r: _of("v", sum)([x for x in r if (x["f"] or 0) > 1]),
    ),
    Function("count(DISTINCT e.f) FILTER (WHERE e.v > 0)", "count(DISTINCT e.f) FILTER (WHERE e.v > 0)", None),
    Function("bool_or(e.v > 3)", "bool_or(e.v > 3)", _of("v", lambda values: max(values) > 3)),
    Function(
        "count_if(e.v > 3)",
        "count(*) FILTER (WHERE e.v > 3)",
        lambda r: _of("v", lambda values: sum(v > 3 for v in values), 0)(r),
    ),
    Function(
        "count_if(e.v IS NULL)",
        "count(*) FILTER (WHERE e.v IS NULL)",
        lambda r: sum(x["v"] is None for x in r),
    ),
    Function("max(struct(e.v, e.id)).id", None, None),
    Function("regr_count(e.v, e.f)", "regr_count(e.v, e.f)", _of("v", len, 0)),
    Function("bit_xor(e.v)", None, None),
    Function("mode(e.f, true)", None, None),
    Function("bit_and(e.v)", None, None),
    Function("every(e.v > -3)", "bool_and(e.v > -3)", _of("v", lambda values: min(values) > -3)),
    Function("avg(DISTINCT e.d)", None, None),
    Function("percentile_cont(0.5) WITHIN GROUP (ORDER BY e.w)", None, None),
    Function("percentile_disc(0.3) WITHIN GROUP (ORDER BY e.v DESC)", None, None),
    Function("percentile(e.v, array(0.1, 0.9), e.f)", None, None),
    Function("skewness(e.v)", None, None),
    Function("covar_samp(e.v, e.f)", None, None),
    Function("regr_slope(e.v, e.f)", None, None),
    Function("hll_sketch_estimate(hll_sketch_agg(e.s))", None, None),
    Function("sum(e.v) + max(e.v) * 2", "sum(e.v) + max(e.v) * 2", _of("v", lambda v: sum(v) + max(v) * 2)),
    Function("size(collect_list(e.day))", None, _of("day", len, 0)),
    Function("max_by(e.v, struct(e.t, e.id)) FILTER (WHERE e.f = 2)", None, None),
]
