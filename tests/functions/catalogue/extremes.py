"""Statistics and extremes."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from generated.call import Call, Compare, Maker
from generated.column import NUMERIC
from generated.declarative import ORDERABLE, TAME, pick
from generated.table import Table

from functions.catalogue.tested import EQUAL, Peer, Tested, Values, column, columns, given


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


def arg_max(pairs: Sequence[tuple[Any, ...]], last: bool = False) -> Any:
    rows = [p for p in pairs if p[1] is not None]
    best = max((v for _, v in rows), default=None)
    keys = [k for k, v in rows if v == best]
    return (keys[-1] if last else keys[0]) if keys else None


def arg_min(pairs: Sequence[tuple[Any, ...]], last: bool = False) -> Any:
    return arg_max([(k, None if v is None else -v) for k, v in pairs], last)


def m4(points: Sequence[tuple[Any, ...]]) -> tuple[Any, ...] | None:
    ps = [p for p in points if None not in p]
    if not ps:
        return None
    lowest = min(ps, key=lambda p: (p[1], p[0]))
    highest = min(ps, key=lambda p: (-p[1], p[0]))
    return min(ps), max(ps), lowest, highest


def _draw_geomean(rng: random.Random, table: Table) -> Call:
    x = pick(rng, table, NUMERIC)
    if x.domain in TAME and rng.random() < 0.7:
        # DuckDB fails on what has no logarithm.
        positive = f"abs(CAST({x.name} AS DOUBLE)) + 0.5"
        return Call(f"geomean({positive}) {{over}}", f"geomean({positive}) {{over}}", Compare.CLOSE)
    return Call(f"geomean({x.name}) {{over}}", None, Compare.CLOSE)


def _draw_count(name: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        return Call(f"{name}({pick(rng, table, ORDERABLE).name}) {{over}}")

    return make


def _draw_key(name: str, duckdb: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x, y = pick(rng, table, ORDERABLE), pick(rng, table, ORDERABLE)
        if rng.random() < 0.4:
            return Call(f"{name}({x.name}, id) {{over}}", f"{duckdb}({x.name}, id) {{over}}")
        ties = rng.choice(["", ", 'first'", ", 'last'"])
        return Call(f"{name}({x.name}, {y.name}{ties}) {{over}}", ordered=True)

    return make


def _draw_m4(rng: random.Random, table: Table) -> Call:
    return Call(f"m4({pick(rng, table, ORDERABLE).name}, {pick(rng, table, ORDERABLE).name}) {{over}}", ordered=True)


COUNT = (
    "aggregate(collect_list(struct(x, 1L AS n)) {{w}}, cast(null AS struct<x:bigint,n:bigint>), (a, e) -> "
    "CASE WHEN a IS NULL OR {beats} THEN e WHEN e.x = a.x THEN struct(e.x AS x, a.n + 1 AS n) ELSE a END, a -> a.n)"
)
POINT = "struct(t AS t, x AS v)"
KINDS = "struct<t:{kind},v:{kind}>"
FUNCTIONS = [
    Tested(
        "geomean",
        frames={"geomean(abs(x))": lambda rows: geomean([x and abs(x) for x in column(rows, "x")])},
        draw=_draw_geomean,
        weight=2,
        grouped=["round(geomean(x)%, 9)"],
        any_number={"geomean(x)": ("double", 15**0.5)},
        of_nulls="geomean(x)",
        streams=["geomean(abs(d) + 0.5)", "geomean(x)"],
        refusals=[("geomean(TIMESTAMP'2026-01-01')", "UNEXPECTED_INPUT_TYPE", ["first", "NUMERIC"])],
        peer=Peer("geomean(x + 1) {w}", "exp(avg(ln(x + 1)) {w})"),
    ),
    Tested(
        "max_count",
        frames={"max_count(x)": lambda rows: max_count(column(rows, "x"))},
        draw=_draw_count("max_count"),
        grouped=["max_count(x)"],
        any_type={"max_count({x})": "bigint"},
        of_nulls="max_count(x)",
        streams=["max_count(n)", "max_count(x)"],
        refusals=[("max_count(map(1, 2))", "INVALID_ORDERING_TYPE", ["`max_count`"])],
        peer=Peer("max_count(x) {w}", COUNT.format(beats="e.x > a.x")),
    ),
    Tested(
        "min_count",
        frames={"min_count(x)": lambda rows: min_count(column(rows, "x"))},
        draw=_draw_count("min_count"),
        grouped=["min_count(s)"],
        any_type={"min_count({x})": "bigint"},
        of_nulls="min_count(x)",
        streams=["min_count(s)"],
        peer=Peer("min_count(x) {w}", COUNT.format(beats="e.x < a.x")),
    ),
    Tested(
        "arg_max",
        frames={
            "arg_max(y, x)": lambda rows: arg_max(columns(rows, "yx")),
            "arg_max(y, x, 'last')": lambda rows: arg_max(columns(rows, "yx"), last=True),
        },
        draw=_draw_key("arg_max", "arg_max_null"),
        grouped=["arg_max(s, id)"],
        within_group=["arg_max(s, x)", "arg_max(s, x, 'first')"],
        refused_unordered=["arg_max(x, i, 'first')"],
        any_type={"arg_max({x}, i)": "{kind}"},
        of_nulls="arg_max(x, x)",
        streams=["arg_max(s, n)", "arg_max(id, g, 'first')"],
        refusals=[
            ("arg_max(x, i, 'newest')", "INVALID_ARG_VALUE", ["`ties`", "'first' or 'last'", "newest"]),
            ("arg_max(x, i, NULL)", "INVALID_ARG_VALUE", ["`ties`", "'first' or 'last'", "NULL"]),
            ("arg_max(x, i, s)", "NON_FOLDABLE_INPUT", ["`ties`"]),
            ("arg_max(x, map(1, 2))", "INVALID_ORDERING_TYPE", ["`arg_max`", "MAP"]),
        ],
        peer=Peer("arg_max(t, x, 'first') {w}", "max_by(t, struct(x, -t)) {w}"),
    ),
    Tested(
        "arg_min",
        frames={
            "arg_min(y, x, 'first')": lambda rows: arg_min(columns(rows, "yx")),
            "arg_min(y, x, 'last')": lambda rows: arg_min(columns(rows, "yx"), last=True),
        },
        draw=_draw_key("arg_min", "arg_min_null"),
        grouped=["arg_min(id, id)"],
        within_group=["arg_min(s, x, 'last')"],
        refused_unordered=["arg_min(x, i, 'last')"],
        any_type={"arg_min(i, {x}, 'last')": "int"},
        of_nulls="arg_min(x, x)",
        streams=["arg_min(d, x, 'last')"],
        peer=Peer("arg_min(t, x, 'last') {w}", "min_by(t, struct(x, -t)) {w}"),
    ),
    Tested(
        "m4",
        frames={"m4(y, x)": lambda rows: m4(columns(rows, "yx"))},
        draw=_draw_m4,
        grouped=["m4(id, x)"],
        any_type={"m4({x}, {x})": f"struct<first:{KINDS},last:{KINDS},lowest:{KINDS},highest:{KINDS}>"},
        of_nulls="m4(x, x)",
        streams=["m4(ts, d)", "m4(id, x)", "m4(s, n)"],
        peer=Peer(
            "m4(t, x) {w}",
            f"struct(first({POINT}) {{w}} AS first, last({POINT}) {{w}} AS last, "
            f"min_by({POINT}, struct(x, t)) {{w}} AS lowest, max_by({POINT}, struct(x, -t)) {{w}} AS highest)",
            EQUAL,
        ),
    ),
]
