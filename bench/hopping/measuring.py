"""Compares the engines' answers, then times all queries in turns, so that each can be compared with another."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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


def engines_of(query: Query) -> list[str]:
    return [SLIDEWISE, SPARK, *([DUCKDB] if query.duckdb else [])]


def compare(queries: list[Query], engines: dict[str, Spark | DuckDB], file: Path, tell: Callable[[str], None]) -> None:
    for query in queries:
        answers = {name: _one_row(query, engines[name], file) for name in engines_of(query)}
        for name, answer in answers.items():
            if not all(math.isclose(a, b, rel_tol=_NEAR) for a, b in zip(answer, answers[SPARK], strict=True)):
                raise DisagreementError(f"{query.name}: {name} answers {answer}, but {SPARK} {answers[SPARK]}")
        tell(f"{query.name}: the same answers")


def _one_row(query: Query, engine: Spark | DuckDB, file: Path) -> list[float]:
    sql = query.checksum(engine.source(file), engine.name)
    if isinstance(engine, DuckDB):
        return engine.one_row(sql, "")
    frame = engine.frame(sql)
    asked = {HOPPING_WINDOW} if query.hopping and engine.name == SLIDEWISE else set()
    assert operators(plan(frame)) == asked, f"not what {engine.name} should run:\n{plan(frame)}"
    return [*frame.collect()[0]]


def measure(
    queries: list[Query],
    engines: dict[str, Spark | DuckDB],
    file: Path,
    effort: Effort,
    tell: Callable[[str], None],
) -> Iterator[Seconds]:
    """After each turn, what has been measured so far."""
    found: Seconds = {query.name: {name: [] for name in engines_of(query)} for query in queries}
    pairs = [(query, name) for query in queries for name in engines_of(query)]
    for done, (_, (query, name)) in enumerate(drawn(pairs, effort.turns), 1):
        so_far = found[query.name][name]
        if so_far is not None:
            engine = engines[name]
            took = seconds(engine, query.over(engine.source(file), name), effort.longest)
            tell(f"{query.name}, {name}: {'stopped' if took is None else f'{took:.2f} s'}")
            found[query.name][name] = None if took is None else [*so_far, round(took, 4)]
        if done % len(pairs) == 0:
            yield found
