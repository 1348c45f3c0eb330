"""Spark's window functions that are no aggregates: ranks, and the values of other rows."""

from __future__ import annotations

import random

from generated.call import Call, Function, Maker
from generated.column import NUMERIC, Column
from generated.declarative import ORDERABLE, pick
from generated.table import Table


def _rank(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        sql = f"{name}() {{over}}"
        return Call(sql, sql, ordered=name == "row_number", filters=False, frameless=True)

    return make


def _tile(rng: random.Random, table: Table) -> Call:
    sql = f"ntile({rng.choice([1, 2, 3, 7, 1000])}) {{over}}"
    return Call(sql, sql, ordered=True, filters=False, frameless=True)


def _offset(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x, ignore = pick(rng, table, ORDERABLE), rng.random() < 0.35
        rows = rng.choice([1, 1, 2, 3, -1, -2, 0] if ignore else [0, 1, 2, 5, -1, -3, table.rows + 1])
        arguments = f"{x.name}, {rows}{_default(rng, table, x)}"
        if rows == 1 and rng.random() < 0.3:
            arguments = x.name
        return Call(
            f"{name}({arguments}){' IGNORE NULLS' if ignore else ''} {{over}}",
            # In DuckDB, the value at distance 0 is not the row's own where that is null.
            f"{name}({arguments}{' IGNORE NULLS' if ignore else ''}) {{over}}" if rows or not ignore else None,
            ordered=True,
            filters=False,
            frameless=True,
        )

    return make


def _default(rng: random.Random, table: Table, x: Column) -> str:
    """The argument for rows that have no other row at the distance."""
    defaults = ["", "", ", NULL", f", {rng.choice(table.of((x.kind,)) or [x]).name}"]
    if x.kind in NUMERIC:
        defaults.append(f", CAST(7 AS {x.kind})")
    return rng.choice(defaults)


def _nth_value(rng: random.Random, table: Table) -> Call:
    x, ignore = pick(rng, table, ORDERABLE), rng.random() < 0.5
    arguments = f"{x.name}, {rng.choice([1, 2, 3, 10])}"
    return Call(
        f"nth_value({arguments}){' IGNORE NULLS' if ignore else ''} {{over}}",
        f"nth_value({arguments}{' IGNORE NULLS' if ignore else ''}) {{over}}",
        ordered=True,
        filters=False,
    )


def _counter_diff(rng: random.Random, table: Table) -> Call:
    # It refuses negative counters.
    x = pick(rng, table, NUMERIC, tame=True).name
    return Call(f"counter_diff(abs({x})) {{over}}", ordered=True, filters=False, frameless=True)


FUNCTIONS = [
    *[Function(name, _rank(name), 1.5) for name in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist")],
    Function("ntile", _tile, 1.5),
    Function("lag", _offset("lag"), 3),
    Function("lead", _offset("lead"), 3),
    Function("nth_value", _nth_value, 3),
    Function("counter_diff", _counter_diff, since=(4, 3)),
]
