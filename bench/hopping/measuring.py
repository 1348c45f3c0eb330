"""Compares the engines' answers, then times all queries in turns, so that each can be compared with another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from flink import FLINK, Flink
from queries import Query
from shared.engines import DUCKDB, DuckDB, Spark
from shared.spark import HOPPING_WINDOW, SLIDEWISE, SPARK, operators, plan
from shared.turns import drawn, seconds

_NEAR = 1e-9
Seconds = dict[str, dict[str, list[float] | None]]
"""Of each turn, by query and engine; None for an engine that was stopped."""


@dataclass(frozen=True)
class Effort:
    rows: int
    checked: int
    """Rows to compare the answers on."""
    turns: int
    longest: float
    """Seconds after which a query is stopped; it does not run again."""


class DisagreementError(Exception):
    pass


Engines = dict[str, Spark | DuckDB | Flink]


def engines_of(query: Query, engines: Engines) -> list[str]:
    able = {SLIDEWISE: True, SPARK: True, DUCKDB: query.duckdb, FLINK: query.flink}
    return [name for name in engines if able[name]]


def compare(queries: list[Query], engines: Engines, file: Path, tell: Callable[[str], None]) -> None:
    for query in queries:
        answers = {name: _one_row(query, engines[name], file) for name in engines_of(query, engines)}
        for name, answer in answers.items():
            if not all(math.isclose(a, b, rel_tol=_NEAR) for a, b in zip(answer, answers[SPARK], strict=True)):
                raise DisagreementError(f"{query.name}: {name} answers {answer}, but {SPARK} {answers[SPARK]}")
        tell(f"{query.name}: the same answers")


def _one_row(query: Query, engine: Spark | DuckDB | Flink, file: Path) -> list[float]:
    sql = query.checksum(engine.source(file), engine.name)
    if not isinstance(engine, Spark):
        return engine.one_row(sql, "")
    frame = engine.frame(sql)
    asked = {HOPPING_WINDOW} if query.hopping and engine.name == SLIDEWISE else set()
    assert operators(plan(frame)) == asked, f"not what {engine.name} should run:\n{plan(frame)}"
    return [*frame.collect()[0]]


def measure(
    queries: list[Query],
    engines: Engines,
    file: Callable[[int], Path],
    effort: Effort,
    tell: Callable[[str], None],
) -> Iterator[Seconds]:
    """After each turn, what has been measured so far. A first turn is not counted, in which the engines warm up."""
    found: Seconds = {query.name: {name: [] for name in engines_of(query, engines)} for query in queries}
    pairs = [(query, name) for query in queries for name in engines_of(query, engines)]
    for done, (turn, (query, name)) in enumerate(drawn(pairs, effort.turns + 1), 1):
        so_far = found[query.name][name]
        if so_far is not None:
            engine = engines[name]
            source = engine.source(file(query.rows or effort.rows))
            took = seconds(engine, query.over(source, name), effort.longest)
            tell(f"{query.name}, {name}: {'stopped' if took is None else f'{took:.2f} s'}")
            warm = [round(took, 4)] if took is not None and turn > 0 else []
            found[query.name][name] = None if took is None else [*so_far, *warm]
        if turn > 0 and done % len(pairs) == 0:
            yield found
