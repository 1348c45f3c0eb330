"""Aggregates over the distinct values of a frame or over their counts: DISTINCT, percentiles, modes."""

from __future__ import annotations

import random
from dataclasses import dataclass

from sparks import SPARK

from generated.call import Call, Compare, Function, Maker
from generated.column import DECIMAL, FRACTIONAL, INTEGRAL, NUMERIC, TEMPORAL, Column
from generated.declarative import ORDERABLE, ROUNDING, TAME, pick
from generated.table import Table

# What fits 64 bits, which array kernels read.
NARROW_DECIMAL = ("decimal(7,2)", "decimal(18,4)")
NARROW = (*INTEGRAL, *FRACTIONAL, *NARROW_DECIMAL, *TEMPORAL, "boolean")
INTERVALS = ("make_dt_interval(0, 0, 0, int_0)", "make_ym_interval(0, int_0)")


@dataclass(frozen=True)
class MultisetCall(Call):
    """`refused`: Spark alone refuses it over a frame, or leaves its result open. GROUP BY answers then, to `grouped` if
    that is not the same. `kernel`: array kernels evaluate it where they can evaluate the frame.
    """

    refused: bool = True
    grouped: str | None = None
    kernel: bool = False


def _added(x: Column, times: int) -> tuple[Compare, float]:
    close = x.kind in FRACTIONAL
    return (Compare.CLOSE, ROUNDING * x.magnitude * max(times, 1)) if close else (Compare.EXACT, 0.0)


def _count(rng: random.Random, table: Table) -> Call:
    x, y = pick(rng, table, ORDERABLE), pick(rng, table, ORDERABLE)
    shapes = [x.name, x.name, x.name, f"{x.name}, {y.name}", f"struct({x.name}, {y.name})", f"array({x.name}, NULL)"]
    if SPARK >= (4, 0):
        shapes.append(f"{pick(rng, table, ('string',)).name} COLLATE {rng.choice(['UTF8_LCASE', 'UNICODE_CI'])}")
    argument = rng.choice(shapes)
    # DuckDB tells -0.0 from 0.0.
    said = f"count(DISTINCT {x.name}) {{over}}" if argument == x.name and x.domain != "special" else None
    return MultisetCall(f"count(DISTINCT {argument}) {{over}}", said, kernel=True)


def _sum(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call | None:
        # Whether a sum of both ends of a type overflows on the way depends on the order of GROUP BY's hash table.
        columns = [c for c in table.of(NUMERIC) if c.domain != "extreme" or c.kind in ("tinyint", "smallint", "int")]
        if not columns:
            return None
        x = rng.choice(columns)
        mean = name.endswith("avg")
        how, allowed = _added(x, 1 if mean else table.rows)
        if mean and x.kind in INTEGRAL:
            how, allowed = Compare.CLOSE, ROUNDING * x.magnitude
        kernel = x.kind in FRACTIONAL or x.kind in INTEGRAL
        said = x.domain in TAME and name in ("sum", "avg") and not (mean and x.kind in DECIMAL)
        sql = f"{name}(DISTINCT {x.name}) {{over}}"
        return MultisetCall(sql, sql if said else None, how, allowed, kernel=kernel and not name.startswith("try_"))

    return make


def _other(rng: random.Random, table: Table) -> Call:
    x, n = pick(rng, table, ORDERABLE).name, pick(rng, table, INTEGRAL)
    y = pick(rng, table, (*INTEGRAL, *FRACTIONAL), tame=True)
    allowed = ROUNDING * y.magnitude**2 * max(table.rows, 1)
    return rng.choice(
        [
            MultisetCall(f"collect_list(DISTINCT {x}) {{over}}", compare=Compare.SET),
            MultisetCall(f"collect_set(DISTINCT {x}) {{over}}", compare=Compare.SET, refused=True),
            MultisetCall(f"min(DISTINCT {x}) {{over}}"),
            MultisetCall(f"max(DISTINCT {x}) {{over}}"),
            MultisetCall(f"count_if(DISTINCT {n.name} > 0) {{over}}"),
            MultisetCall(f"bit_xor(DISTINCT {n.name}) {{over}}"),
            MultisetCall(f"bool_or(DISTINCT {n.name} > 1) {{over}}"),
            MultisetCall(f"approx_count_distinct(DISTINCT {x}) {{over}}"),
            MultisetCall(f"var_pop(DISTINCT {y.name}) {{over}}", None, Compare.CLOSE, allowed),
            MultisetCall(f"stddev(DISTINCT {y.name}) {{over}}", None, Compare.ROOT, allowed),
            MultisetCall(f"regr_count(DISTINCT {y.name}, {n.name}) {{over}}"),
            MultisetCall(f"max_by(DISTINCT {x}, id) {{over}}"),
            MultisetCall(f"median(DISTINCT {y.name}) {{over}}", None, Compare.CLOSE, ROUNDING * y.magnitude),
            MultisetCall(f"percentile(DISTINCT {y.name}, 0.3) {{over}}", None, Compare.CLOSE, ROUNDING * y.magnitude),
        ]
    )


def _measured(rng: random.Random, table: Table) -> tuple[str, Column | None]:
    """What percentiles order: a number or an interval; and the column, unless it is an interval."""
    if rng.random() < 0.15:
        return rng.choice(INTERVALS), None
    x = pick(rng, table, NUMERIC)
    return x.name, x


def _shown(sql: str, x: Column | None) -> str:
    return sql if x else f"cast({sql} AS string)"


def _quantile(sql: str, x: Column | None, said: str | None = None, refused: bool = True) -> Call:
    tame = x is not None and x.kind in (*INTEGRAL, *FRACTIONAL) and x.domain in TAME
    return MultisetCall(
        # Python has no type for intervals of months.
        _shown(sql, x),
        said if tame else None,
        # A percentile of numbers is a double, and -0.0 is as good as 0.0.
        Compare.CLOSE if x else Compare.EXACT,
        ROUNDING * x.magnitude if x and x.domain != "extreme" else 0.0,
        refused=refused,
        kernel=x is None or x.kind in NARROW,
    )


def _median(rng: random.Random, table: Table) -> Call:
    sql, x = _measured(rng, table)
    return _quantile(f"median({sql}) {{over}}", x, f"median(CAST({sql} AS DOUBLE)) {{over}}")


FRACTIONS = ("0.0", "0.1", "0.25", "0.5", "0.75", "0.9", "0.99", "1.0")


def _percentile(rng: random.Random, table: Table) -> Call:
    sql, x = _measured(rng, table)
    at = rng.choice(FRACTIONS)
    if x and rng.random() < 0.3:
        several = f"array({at}, {rng.choice(FRACTIONS)}, 0.5)"
        return _quantile(f"percentile({sql}, {several}) {{over}}", x, refused=False)
    if rng.random() < 0.2:
        frequency = rng.choice(["1 + id % 3", "abs(int_0) % 4", "2"])
        call = _quantile(f"percentile({sql}, {at}, {frequency}) {{over}}", x, refused=False)
        return MultisetCall(call.spark, None, call.compare, call.tolerance, refused=False)
    said = f"quantile_cont(CAST({sql} AS DOUBLE), {at}) {{over}}"
    return _quantile(f"percentile({sql}, {at}) {{over}}", x, said, refused=False)


def _within_group(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        sql, x = _measured(rng, table)
        at, direction = rng.choice(FRACTIONS), rng.choice(["", "", " DESC"])
        if x and rng.random() < 0.2:
            at = f"array({at}, 0.5)"
        quantile = "quantile_cont" if name == "percentile_cont" else "quantile_disc"
        # From the greatest, DuckDB takes another value of an even number.
        said = None if direction or "array" in at else f"{quantile}({sql}, {at}) {{over}}"
        if name == "percentile_cont":
            said = said and said.replace(f"({sql},", f"(CAST({sql} AS DOUBLE),")
        return _quantile(f"{name}({at}) WITHIN GROUP (ORDER BY {sql}{direction}) {{over}}", x, said)

    return make


def _approximate(rng: random.Random, table: Table) -> Call:
    # The default accuracy keeps every value of these tables, so that Spark's result is exact.
    # Over a growing frame, Spark adds rows to a summary that it has sorted, which has no place for NaN.
    columns = table.of((*INTEGRAL, *FRACTIONAL, *NARROW_DECIMAL, *TEMPORAL), (*TAME, "extreme"))
    x = rng.choice(columns or [table.columns["id"]])
    at = rng.choice([*FRACTIONS, "array(0.1, 0.9)"])
    return MultisetCall(
        f"percentile_approx({x.name}, {at}) {{over}}",
        compare=Compare.CLOSE,
        refused=False,
        kernel=x.kind != "decimal(18,4)",  # which a double does not hold
    )


def _mode(rng: random.Random, table: Table) -> Call:
    tame = rng.random() < 0.3
    x, y = pick(rng, table, ORDERABLE, tame), pick(rng, table, ORDERABLE, tame)
    direction = rng.choice(["", " DESC"])
    argument = rng.choice([x.name] * 4 + [f"struct({x.name}, {y.name})", f"array({x.name}, NULL)"])
    kernel = argument == x.name and x.kind in NARROW
    if tame:
        # Of several most frequent values, any.
        return MultisetCall(
            f"mode({argument}{rng.choice(['', ', false'])}) {{over}}",
            compare=Compare.MODE,
            grouped=f"collect_list({argument}) {{over}}",
            kernel=kernel,
        )
    sql = rng.choice(
        [f"mode({argument}, true) {{over}}", f"mode() WITHIN GROUP (ORDER BY {argument}{direction}) {{over}}"]
    )
    return MultisetCall(sql, refused=False, kernel=kernel)


FUNCTIONS = [
    Function("count(DISTINCT)", _count, 4),
    Function("sum(DISTINCT)", _sum("sum"), 2),
    Function("avg(DISTINCT)", _sum("avg"), 2),
    Function("try_sum(DISTINCT)", _sum("try_sum"), 0.5),
    Function("DISTINCT", _other, 2),
    Function("median", _median, 2),
    Function("percentile", _percentile, 2),
    Function("percentile_cont", _within_group("percentile_cont"), 2),
    Function("percentile_disc", _within_group("percentile_disc"), 2),
    Function("percentile_approx", _approximate, 1.5),
    Function("mode", _mode, 3, since=(4, 0)),
]
