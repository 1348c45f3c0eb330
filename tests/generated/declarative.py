"""Spark's declarative aggregates: sums, extremes, moments, regressions, bits and the like."""

from __future__ import annotations

import random

from generated.call import Call, Compare, Function, Maker
from generated.column import DECIMAL, FRACTIONAL, INTEGRAL, NUMERIC, TEMPORAL, Column
from generated.table import Table

ORDERABLE = (*NUMERIC, *TEMPORAL, "string", "boolean", "binary")
TAME = ("small", "wide")
ROUNDING = 1e-12


def pick(rng: random.Random, table: Table, kinds: tuple[str, ...], tame: bool = False) -> Column:
    columns = table.of(kinds, TAME) if tame else table.of(kinds)
    return rng.choice(columns or [table.columns["id"]])


def addends(table: Table) -> list[Column]:
    """What may be summed: not the ends of the floating types, whose sums depend on the association."""
    return [c for c in table.of(NUMERIC) if not (c.kind in FRACTIONAL and c.domain == "extreme")]


def _sum(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        if rng.random() < 0.1:
            interval = rng.choice(["make_ym_interval(0, int_0)", "make_dt_interval(0, 0, 0, int_0)"])
            return Call(f"cast({name}({interval}) {{over}} AS string)")
        x = rng.choice(addends(table))
        duckdb = None
        if name == "sum" and x.domain in TAME:
            duckdb = f"sum({x.name}) {{over}}"
        return _added(x, f"{name}({x.name}) {{over}}", duckdb, table.rows)

    return make


def _avg(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = rng.choice(addends(table))
        if rng.random() < 0.1:
            return Call(f"cast({name}(make_dt_interval(0, 0, 0, int_0)) {{over}} AS string)")
        # DuckDB's average of decimals is a double.
        said = name == "avg" and x.domain in TAME and x.kind not in DECIMAL
        duckdb = f"avg({x.name}) {{over}}" if said else None
        return _added(x, f"{name}({x.name}) {{over}}", duckdb, 1, x.kind not in DECIMAL)

    return make


def _added(x: Column, spark: str, duckdb: str | None, times: int, close: bool = False) -> Call:
    if close or x.kind in FRACTIONAL:
        tolerance = ROUNDING * x.magnitude * max(times, 1)
        return Call(spark, duckdb, Compare.CLOSE, tolerance)
    return Call(spark, duckdb)


def _count(rng: random.Random, table: Table) -> Call:
    x, y = pick(rng, table, ORDERABLE), pick(rng, table, ORDERABLE)
    condition = f"{pick(rng, table, INTEGRAL).name} > 0"
    return rng.choice(
        [
            Call("count(*) {over}", "count(*) {over}"),
            Call(f"count({x.name}) {{over}}", f"count({x.name}) {{over}}"),
            Call(
                f"count({x.name}, {y.name}) {{over}}",
                f"count(CASE WHEN {x.name} IS NOT NULL AND {y.name} IS NOT NULL THEN 1 END) {{over}}",
            ),
            Call(f"count_if({condition}) {{over}}", f"count(CASE WHEN {condition} THEN 1 END) {{over}}"),
        ]
    )


def _extreme(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = pick(rng, table, ORDERABLE)
        if rng.random() < 0.1:
            return Call(f"{name}(struct({x.name}, id)) {{over}}")
        duckdb = None if x.domain == "special" else f"{name}({x.name}) {{over}}"
        return Call(f"{name}({x.name}) {{over}}", duckdb)

    return make


def _extreme_by(name: str, duckdb: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x, y = pick(rng, table, ORDERABLE), pick(rng, table, ORDERABLE)
        if rng.random() < 0.5:
            # A unique key: no ties.
            return Call(f"{name}({x.name}, id) {{over}}", f"{duckdb}({x.name}, id) {{over}}")
        return Call(f"{name}({x.name}, {y.name}) {{over}}", ordered=True)

    return make


def _positional(names: tuple[str, ...], duckdb: str | None) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x, name = pick(rng, table, ORDERABLE), rng.choice(names)
        ignore = rng.random() < 0.5
        spark = f"{name}({x.name}{', true' if ignore else ''}) {{over}}"
        said = f"{duckdb}({x.name}{' IGNORE NULLS' if ignore else ''}) {{over}}" if duckdb else None
        return Call(spark, said, ordered=True)

    return make


def _boolean(names: tuple[str, ...], duckdb: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = rng.choice([f"boolean_{rng.randrange(2)}", f"{pick(rng, table, INTEGRAL).name} > 0"])
        return Call(f"{rng.choice(names)}({x}) {{over}}", f"{duckdb}({x}) {{over}}")

    return make


def _bits(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = pick(rng, table, INTEGRAL)
        return Call(f"{name}({x.name}) {{over}}", f"{name}({x.name}) {{over}}")

    return make


def _tolerance(rows: int, *columns: Column) -> float:
    """Of a second moment: what the magnitudes of the inputs leave of it when it is near zero."""
    product = max(c.magnitude for c in columns) ** 2
    return ROUNDING * product * max(rows, 1)


def _moment(name: str, compare: Compare, duckdb: str | None) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = pick(rng, table, NUMERIC, tame=rng.random() < 0.8)
        if x.kind in (*FRACTIONAL, *DECIMAL, "bigint") and x.domain == "extreme":
            x = table.columns["id"]
        said = f"{duckdb}({x.name}) {{over}}" if duckdb and x.domain in TAME else None
        return Call(f"{name}({x.name}) {{over}}", said, compare, _tolerance(1, x))

    return make


def _shape(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x = pick(rng, table, (*INTEGRAL, *FRACTIONAL), tame=True)
        return Call(f"{name}({x.name}) {{over}}", None, Compare.CLOSE, 1e-6)

    return make


def _pair(name: str, said: bool, degree: int, summed: bool) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        kinds = (*INTEGRAL, *FRACTIONAL)
        y, x = pick(rng, table, kinds, tame=True), pick(rng, table, kinds, tame=True)
        times = table.rows if summed else 1
        tolerance = [1e-6 * max(x.magnitude, y.magnitude, 1), ROUNDING * max(x.magnitude, y.magnitude)]
        allowed = _tolerance(times, x, y) if degree == 2 else tolerance[degree]
        sql = f"{name}({y.name}, {x.name}) {{over}}"
        return Call(sql, sql if said else None, Compare.CLOSE, allowed)

    return make


def _regr_count(rng: random.Random, table: Table) -> Call:
    sql = f"regr_count({pick(rng, table, NUMERIC).name}, {pick(rng, table, NUMERIC).name}) {{over}}"
    return Call(sql, sql)


def _of_nothing(rng: random.Random, table: Table) -> Call:
    return Call(rng.choice(["sum(1) {over}", "max(NULL) {over}", "sum(NULL) {over}", "avg(2) {over}"]))


FUNCTIONS = [
    Function("sum", _sum("sum"), 4),
    Function("try_sum", _sum("try_sum"), 2),
    Function("avg", _avg("avg"), 3),
    Function("mean", _avg("mean"), 0.3),
    Function("try_avg", _avg("try_avg")),
    Function("count", _count, 2),
    Function("count_if", _count),
    Function("min", _extreme("min"), 3),
    Function("max", _extreme("max"), 3),
    Function("min_by", _extreme_by("min_by", "arg_min_null"), 2),
    Function("max_by", _extreme_by("max_by", "arg_max_null"), 2),
    Function("first", _positional(("first", "first_value"), "first_value"), 2),
    Function("last", _positional(("last", "last_value"), "last_value"), 2),
    Function("any_value", _positional(("any_value",), None)),
    Function("bool_and", _boolean(("bool_and", "every"), "bool_and")),
    Function("bool_or", _boolean(("bool_or", "some", "any"), "bool_or")),
    *[Function(name, _bits(name)) for name in ("bit_and", "bit_or", "bit_xor")],
    Function("stddev_samp", _moment("stddev_samp", Compare.ROOT, "stddev_samp")),
    Function("stddev", _moment("stddev", Compare.ROOT, None), 0.3),
    Function("std", _moment("std", Compare.ROOT, None), 0.3),
    Function("stddev_pop", _moment("stddev_pop", Compare.ROOT, "stddev_pop")),
    Function("var_samp", _moment("var_samp", Compare.CLOSE, "var_samp")),
    Function("variance", _moment("variance", Compare.CLOSE, None), 0.3),
    Function("var_pop", _moment("var_pop", Compare.CLOSE, "var_pop")),
    Function("skewness", _shape("skewness")),
    Function("kurtosis", _shape("kurtosis")),
    Function("corr", _pair("corr", False, 0, False)),
    Function("covar_pop", _pair("covar_pop", True, 2, False)),
    Function("covar_samp", _pair("covar_samp", True, 2, False)),
    Function("regr_count", _regr_count),
    Function("regr_avgx", _pair("regr_avgx", True, 1, False)),
    Function("regr_avgy", _pair("regr_avgy", True, 1, False)),
    Function("regr_sxx", _pair("regr_sxx", True, 2, True)),
    Function("regr_sxy", _pair("regr_sxy", True, 2, True)),
    Function("regr_syy", _pair("regr_syy", True, 2, True)),
    Function("regr_r2", _pair("regr_r2", False, 0, False)),
    Function("regr_slope", _pair("regr_slope", False, 0, False)),
    Function("regr_intercept", _pair("regr_intercept", False, 0, False)),
    Function("sum of nothing", _of_nothing, 0.5),
]
