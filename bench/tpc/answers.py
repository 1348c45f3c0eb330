"""Compares the rows of two answers, and finds the windows that Slidewise leaves to Spark."""

from __future__ import annotations

import math
import re
from typing import Any

from queries import Query
from shared.spark import SLIDEWISE, SPARK, Switched, operators, plan

_NEAR = 1e-9
_SPARKS_WINDOW = re.compile(r"(?<!\w)Window \[")


class DisagreementError(Exception):
    pass


def compare(engines: dict[str, Switched], query: Query) -> tuple[int, int]:
    """The rows of the answer, and how many windows of it Spark evaluates with Slidewise on. Checks the paths taken."""
    frames, found = {}, {}
    for name, engine in engines.items():
        frames[name] = engine.frame(query.unlimited)
        found[name] = sorted(([*row] for row in frames[name].collect()), key=_order)
    ours, theirs = found[SLIDEWISE], found[SPARK]
    if len(ours) != len(theirs) or not all(map(_same, ours, theirs)):
        different = [pair for pair in zip(ours, theirs, strict=False) if not _same(*pair)]
        raise DisagreementError(f"query {query.number}: {len(ours)} and {len(theirs)} rows; {different[:3]}")
    plans = {name: plan(frame) for name, frame in frames.items()}
    used = {name: bool(operators(planned)) for name, planned in plans.items()}
    assert used == {SLIDEWISE: query.windowed, SPARK: False}, (
        f"query {query.number}: operators of Slidewise by engine: {used}"
    )
    return len(ours), len(_SPARKS_WINDOW.findall(plans[SLIDEWISE].split("Initial Plan")[0]))


def _order(row: list[Any]) -> tuple[list[str], list[float]]:
    """Doubles last, since those of equal rows may differ a little."""
    exact = [repr(value) for value in row if not isinstance(value, float)]
    return exact, [value for value in row if isinstance(value, float)]


def _same(one: list[Any], other: list[Any]) -> bool:
    def near(a: Any, b: Any) -> bool:
        both = isinstance(a, float) and isinstance(b, float)
        return math.isclose(a, b, rel_tol=_NEAR) if both else bool(a == b)

    return all(map(near, one, other))
