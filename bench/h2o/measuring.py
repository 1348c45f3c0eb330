"""Compares the engines' answers to a query, then times them in turns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from data import table
from engines import Engine
from queries import Query
from shared.turns import in_turns

_NEAR = 1e-9


@dataclass(frozen=True)
class Effort:
    rows: int
    turns: int
    longest: float
    """Seconds after which a query is stopped."""


@dataclass(frozen=True)
class Measured:
    query: str
    sql: str
    checked: int
    """Rows on which the answers were compared."""
    seconds: dict[str, list[float] | None]
    """Of each engine; None if it was stopped."""


class DisagreementError(Exception):
    pass


def measure(query: Query, engines: list[Engine], effort: Effort, cache: Path, tell: Callable[[str], None]) -> Measured:
    checked = min(effort.rows, query.checked or effort.rows)
    _compare(query, engines, table(checked, cache))
    tell(f"{query.name}: the same answers on {checked:,} rows")
    sources = {engine.name: engine.source(table(effort.rows, cache)) for engine in engines}
    found = in_turns(engines, lambda engine: query.over(sources[engine.name]), effort.turns, effort.longest, warm=True)
    tell(f"{query.name}: " + ", ".join(f"{engine} {took or 'stopped'}" for engine, took in found.items()))
    return Measured(query.name, query.sql, checked, found)


def _compare(query: Query, engines: list[Engine], file: Path) -> None:
    answers = {e.name: e.one_row(query.checksum(e.source(file)), query.operator) for e in engines}
    first, reference = next(iter(answers.items()))
    for engine, answer in answers.items():
        if not all(math.isclose(a, b, rel_tol=_NEAR) for a, b in zip(answer, reference, strict=True)):
            raise DisagreementError(f"{query.name}: {engine} answers {answer}, but {first} {reference}")
