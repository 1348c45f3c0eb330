"""The first k of an order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from generated.call import Call, Maker
from generated.column import INTEGRAL
from generated.declarative import ORDERABLE, TAME, pick
from generated.table import Table

from functions.catalogue.tested import EQUAL, Peer, Tested, Values, column, columns, given


def top_k(values: Values, k: int) -> list[Any] | None:
    return sorted(given(values), reverse=True)[:k] or None


def bottom_k(values: Values, k: int) -> list[Any] | None:
    return sorted(given(values))[:k] or None


def top_k_by(pairs: Sequence[tuple[Any, ...]], k: int) -> list[Any] | None:
    rows = sorted((p for p in pairs if p[1] is not None), key=lambda p: -p[1])
    return [x for x, _ in rows[:k]] or None


def _draw(name: str, duckdb: str) -> Maker:
    def make(rng: random.Random, table: Table) -> Call:
        x, k = pick(rng, table, ORDERABLE), rng.choice([1, 2, 5, 100])
        said = x.domain in TAME and x.kind in INTEGRAL
        sql = f"{duckdb}({x.name}, {k}) {{over}}" if said else None
        return Call(f"{name}({x.name}, {k}) {{over}}", sql, ordered=x.domain == "special")

    return make


def _draw_by(rng: random.Random, table: Table) -> Call:
    x, y = pick(rng, table, ORDERABLE), pick(rng, table, ORDERABLE)
    return Call(f"top_k_by({x.name}, {y.name}, {rng.choice([1, 2, 5])}) {{over}}", ordered=True)


LIST = "collect_list(x) {w}"
FUNCTIONS = [
    Tested(
        "top_k",
        frames={"top_k(x, 3)": lambda rows: top_k(column(rows, "x"), 3)},
        draw=_draw("top_k", "max"),
        grouped=["top_k(x, 3)"],
        any_type={"top_k({x}, 2)": "array<{kind}>"},
        of_nulls="top_k(x, 2)",
        streams=["top_k(n, 3)", "top_k(x, 2)"],
        refusals=[
            ("top_k(x, 0)", "VALUE_OUT_OF_RANGE", ["`k`", "[1, 100000]", "0"]),
            ("top_k(x, -7)", "VALUE_OUT_OF_RANGE", ["`k`", "-7"]),
            ("top_k(x, NULL)", "VALUE_OUT_OF_RANGE", ["`k`", "[1, 100000]", "NULL"]),
            ("top_k(x, '3')", "UNEXPECTED_INPUT_TYPE", ["second", "INTEGRAL", "a constant from 1 to 100000"]),
        ],
        peer=Peer("top_k(x, 5) {w}", f"slice(reverse(array_sort({LIST})), 1, 5)", EQUAL),
    ),
    Tested(
        "bottom_k",
        frames={"bottom_k(x, 100)": lambda rows: bottom_k(column(rows, "x"), 100)},
        draw=_draw("bottom_k", "min"),
        grouped=["bottom_k(s, 2)"],
        any_type={"bottom_k({x}, 2)": "array<{kind}>"},
        of_nulls="bottom_k(x, 2)",
        streams=["bottom_k(s, 5)"],
        refusals=[("bottom_k(x, i)", "NON_FOLDABLE_INPUT", ["`k`"])],
        peer=Peer("bottom_k(x, 5) {w}", f"slice(array_sort({LIST}), 1, 5)", EQUAL),
    ),
    Tested(
        "top_k_by",
        frames={"top_k_by(y, x, 2)": lambda rows: top_k_by(columns(rows, "yx"), 2)},
        draw=_draw_by,
        grouped=["top_k_by(s, id, 3)"],
        within_group=["top_k_by(s, x, 3)"],
        any_type={"top_k_by(i, {x}, 2)": "array<int>"},
        of_nulls="top_k_by(x, x, 2)",
        streams=["top_k_by(id, d, 2)", "top_k_by(s, n, 100)"],
        refusals=[("top_k_by(x, i, 1.5)", "UNEXPECTED_INPUT_TYPE", ["third", "INT"])],
        peer=Peer(
            "top_k_by(t, x, 5) {w}",
            "transform(slice(reverse(array_sort(collect_list(struct(x, -t AS u, t)) {w})), 1, 5), e -> e.t)",
            EQUAL,
        ),
    ),
]
