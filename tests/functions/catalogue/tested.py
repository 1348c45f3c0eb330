"""What the tests and the benchmarks need to know of one SQL function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from generated.call import Maker

Row = tuple[int, int, Any, Any, Any]
Define = Callable[[list[Row]], Any]


@dataclass(frozen=True)
class Peer:
    """A call beside what is written without Slidewise; `{w}` is the OVER clause.

    `same` compares the results `{a}` and `{b}`; None where one is an estimate.
    """

    ours: str
    today: str
    same: str | None = "abs({a} - {b}) <= 1e-9 * greatest(1, abs({b}))"

    @property
    def name(self) -> str:
        return self.ours.replace(" {w}", "")

    @property
    def without(self) -> str:
        return self.today.replace(" {w}", "")


@dataclass(frozen=True)
class Tested:
    """One function. A call is SQL, with `%` for the OVER clause where that is not at the end.

    - `frames`: calls over the columns i, t (ascending), x, y (integers) and d (doubles), each with its definition over
      the rows (i, t, x, y, d) of a frame.
    - `draw`: makes random calls over random tables; `weight` is its share among the functions.
    - `grouped`: calls over id, x and s that answer in GROUP BY as over the whole window.
    - `within_group`: calls over t, x and s that take an order of their own.
    - `refused_unordered`: calls over i and x that fail without an order.
    - `any_type`: calls with `{x}` for a column of any orderable type, `{kind}`; each with the type of the result.
    - `any_number`: calls over i and a numeric column x, each with the type of the result (`sum`: that of sum(x)) and
      the result for x = 3, 5 at i = 1, 2.
    - `of_nulls`: a call whose result is null or 0 where x is null.
    - `streams`: calls over streams; `approximate_streams`: with the allowed error for each row of a frame.
    - `refusals`: wrong calls over i, x, s and a, each with the condition and parts of the message.
    - `peer`: for the benchmark.
    """

    name: str
    frames: dict[str, Define] = field(default_factory=dict)
    draw: Maker | None = None
    weight: float = 1.0
    grouped: list[str] = field(default_factory=list)
    within_group: list[str] = field(default_factory=list)
    refused_unordered: list[str] = field(default_factory=list)
    any_type: dict[str, str] = field(default_factory=dict)
    any_number: dict[str, tuple[str, float]] = field(default_factory=dict)
    of_nulls: str | None = None
    streams: list[str] = field(default_factory=list)
    approximate_streams: list[tuple[str, float]] = field(default_factory=list)
    refusals: list[tuple[str, str, list[str]]] = field(default_factory=list)
    peer: Peer | None = None


EQUAL = "{a} <=> {b}"
Values = list[Any]


def given(values: Values) -> Values:
    return [v for v in values if v is not None]


def column(rows: list[Row], name: str) -> Values:
    at = "itxyd".index(name)
    return [row[at] for row in rows]


def columns(rows: list[Row], names: str) -> list[tuple[Any, ...]]:
    return list(zip(*(column(rows, name) for name in names), strict=True))
