"""What an engine answers to a query: a row for each id, or an error; and whether two answers are the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from generated.call import Compare
from generated.query import Case


@dataclass(frozen=True)
class Failure:
    """An engine's error: its class is what must agree, not its words."""

    kind: str
    message: str
    by_analysis: bool


@dataclass(frozen=True)
class Rows:
    """The values of the cases, for each id, and the plan that gave them."""

    values: dict[int, tuple[Any, ...]]
    plan: str = ""


Answer = Rows | Failure


def difference(cases: Sequence[Case], one: Rows, other: Rows, loosely: bool = False) -> str | None:
    """The first difference in words. `loosely`: another engine, whose numbers have other types."""
    if one.values.keys() != other.values.keys():
        return f"other rows: {sorted(one.values.keys() ^ other.values.keys())}"
    for i, case in enumerate(cases):
        wrong = [
            (row, values[i], other.values[row][i])
            for row, values in sorted(one.values.items())
            if not same(values[i], other.values[row][i], case, loosely)
        ]
        if wrong:
            shown = "\n".join(f"  id {row}: {a!r} <> {b!r}" for row, a, b in wrong[:5])
            return f"{len(wrong)} of {len(one.values)} rows differ in\n  {case.spark}\n{shown}"
    return None


def same(a: Any, b: Any, case: Case, loosely: bool = False) -> bool:
    if case.compare is Compare.MODE:
        # An array has no hash.
        counts = Counter(map(repr, b))
        return counts[repr(a)] == max(counts.values()) if counts else a is None
    if a is None or b is None:
        return a is b
    if isinstance(a, (list, tuple)):
        if case.compare is Compare.BINS and isinstance(a, list):
            return _bins(a) == _bins(b)
        if not isinstance(b, (list, tuple)) or len(a) != len(b):
            return False
        if case.compare is Compare.SET:
            a, b = sorted(a, key=repr), sorted(b, key=repr)
        return all(same(x, y, case, loosely) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) or (loosely and isinstance(b, float)):
        return _same_number(float(a), float(b), case, loosely)
    return bool(a == b)


def _bins(histogram: list[tuple[Any, float]]) -> Counter[Any]:
    counts = Counter[Any]()
    for place, height in histogram:
        counts[place] += height
    return counts


def _same_number(a: float, b: float, case: Case, loosely: bool) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if case.compare in (Compare.EXACT, Compare.SET):
        return a == b and (loosely or math.copysign(1, a) == math.copysign(1, b))
    if math.isinf(a) or math.isinf(b):
        return a == b
    if case.compare is Compare.ROOT:
        a, b = a * a, b * b
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=case.tolerance)
