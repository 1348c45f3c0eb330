"""Random window frames, in Spark's SQL and in DuckDB's."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from sparks import SPARK

from generated.column import DECIMAL, FRACTIONAL, INTEGRAL, Column

UNBOUNDED = float("inf")


@dataclass(frozen=True)
class Frame:
    """`unit` is ROWS or RANGE; the bounds are offsets from the current row, in `steps` if there are any."""

    unit: str
    lower: float
    upper: float
    spark: str
    duckdb: str | None

    @property
    def by_peers(self) -> bool:
        """Whether the frame holds the same rows for all orders of the peers."""
        return self.unit == "RANGE" or (self.lower, self.upper) == (-UNBOUNDED, UNBOUNDED)


@dataclass(frozen=True)
class Step:
    """What one offset of a RANGE frame is worth: a template for each dialect, and offsets to choose from."""

    spark: str
    duckdb: str | None
    offsets: tuple[float, ...]


# The frames of windows that name none, with an order and without.
GROWING = Frame("RANGE", -UNBOUNDED, 0, "", "")
WHOLE = Frame("RANGE", -UNBOUNDED, UNBOUNDED, "", "")


def random_rows(rng: random.Random, rows: int) -> Frame:
    top = rng.choice([1, 3, 10, 50, max(rows, 1), 1000])
    return _frame("ROWS", _bounds(rng, tuple(range(top + 1))), "{}", "{}")


def random_peers(rng: random.Random) -> Frame:
    """A RANGE frame without an offset, which any order of any number of keys allows."""
    return _frame("RANGE", _bounds(rng, (0,)), "{}", "{}")


def random_range(rng: random.Random, key: Column, legacy_intervals: bool) -> Frame:
    """A RANGE frame by an offset of the key's type."""
    step = _step(rng, key, legacy_intervals)
    return _frame("RANGE", _bounds(rng, step.offsets), step.spark, step.duckdb)


def _bounds(rng: random.Random, offsets: tuple[float, ...]) -> tuple[float, float]:
    def bound(unbounded: float, share: float) -> float:
        if rng.random() < share:
            return unbounded
        if rng.random() < 0.25:
            return 0
        return rng.choice(offsets) * (1 if rng.random() < 0.35 else -1)

    lower, upper = sorted((bound(-UNBOUNDED, 0.25), bound(UNBOUNDED, 0.15)))
    # Spark takes empty frames with a bound at the current row.
    if 0 in (lower, upper) and math.isfinite(upper - lower) and rng.random() < 0.2:
        return upper, lower
    return lower, upper


def _frame(unit: str, bounds: tuple[float, float], spark: str, duckdb: str | None) -> Frame:
    def text(offset: float, template: str) -> str:
        side = "PRECEDING" if offset < 0 else "FOLLOWING"
        if abs(offset) == UNBOUNDED:
            return f"UNBOUNDED {side}"
        if offset == 0:
            return "CURRENT ROW"
        return f"{template.format(f'{abs(offset):g}')} {side}"

    def frame(template: str) -> str:
        return f"{unit} BETWEEN {text(bounds[0], template)} AND {text(bounds[1], template)}"

    # DuckDB refuses frames that end before they begin.
    in_duckdb = None if duckdb is None or bounds[0] > bounds[1] else frame(duckdb)
    return Frame(unit, *bounds, frame(spark), in_duckdb)


def _step(rng: random.Random, key: Column, legacy_intervals: bool) -> Step:
    small = key.domain in ("small", "special")
    if key.kind in INTEGRAL:
        literal = {"tinyint": "{}Y", "smallint": "{}S", "int": "{}", "bigint": rng.choice(["{}", "{}L"])}
        return Step(literal[key.kind], "{}", (1, 2, 3) if small else (1, 5, 20, 100))
    if key.kind in FRACTIONAL:
        literal = {"float": "{}F", "double": "{}D"}
        offsets = (0.25, 0.5, 1.0, 2.5) if small else (0.125, 1.5, 20.0, 300.5)
        return Step(literal[key.kind], "{}", offsets)
    if key.kind in DECIMAL:
        return Step("{}", "{}", (0.5, 1, 2.5) if small else (0.01, 1.5, 20, 300))
    if key.kind == "date":
        return rng.choice(
            [
                Step("{}", "INTERVAL ({}) DAY", (1, 2, 5, 40)),
                *([Step("INTERVAL {} DAY", "INTERVAL ({}) DAY", (1, 2, 5, 40))] if SPARK >= (4, 0) else []),
                Step("INTERVAL {} MONTH", "INTERVAL ({}) MONTH", (1, 2, 14)),
            ]
        )
    if legacy_intervals:
        return Step("INTERVAL {} MONTH 2 DAYS 3 HOURS", None, (1, 2))
    # Spark's days are those of the session's zone, DuckDB's are those of UTC.
    zoned = key.kind == "timestamp"
    return rng.choice(
        [
            Step("INTERVAL {} HOUR", "INTERVAL ({}) HOUR", (1, 12, 23)),
            Step("INTERVAL {} HOUR", None, (24, 36, 720)),
            Step("INTERVAL '0 {}:30:00' DAY TO SECOND", None, (1, 11, 23)),
            Step("INTERVAL {} DAY", None if zoned else "INTERVAL ({}) DAY", (1, 2, 15)),
            Step("INTERVAL {} MONTH", None, (1, 2)),
            Step("INTERVAL {} YEAR", None, (1, 2)),
        ]
    )
