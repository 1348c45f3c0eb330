"""The types of keys and times in random window joins: their values, and bounds at a distance from a time."""

from __future__ import annotations

import calendar
import datetime as dt
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

KEYS: dict[str, list[Any]] = {
    "int": [1, 2, 3, -4],
    "bigint": [2**40, 2**40 + 1, -(2**40)],
    "string": ["a", "A", "", "a "],
    "decimal(20,2)": [Decimal("1.50"), Decimal("-0.25"), Decimal("123456789012345678.25")],
    "date": [dt.date(2024, 2, 29), dt.date(1969, 12, 31)],
    "double": [math.nan, 0.0, -0.0, math.inf, 1.5],
    "float": [math.nan, 0.0, -0.0, 0.25],
    "boolean": [True, False],
    "smallint": [-1, 0, 7],
    "binary": [b"", b"\x00", b"\xff"],
    "timestamp": [dt.datetime(2024, 11, 3, 6, 30), dt.datetime(1969, 12, 31, 23, 59, 59, 999999)],
    "struct<a: int, b: string>": [(1, "x"), (1, None), (None, "x")],
}

# Two clocks change on these days: 10 March and 3 November in New York, 7 April and 6 October on Lord Howe. 1969 is
# before the epoch, and 29 February has no anniversary.
_STARTS = (
    *(dt.datetime(2024, 3, 8), dt.datetime(2024, 11, 1), dt.datetime(2024, 4, 5), dt.datetime(2024, 10, 4)),
    *(dt.datetime(1969, 12, 30), dt.datetime(2024, 2, 27)),
)


@dataclass(frozen=True)
class Moved:
    """What is added to a time, in SQL and in Python."""

    sql: str
    move: Callable[[Any], Any]
    back: str | None = None
    """What undoes it, if that is exact."""


def _add_months(value: Any, months: int) -> Any:
    index = value.year * 12 + value.month - 1 + months
    year, month = index // 12, index % 12 + 1
    return value.replace(year=year, month=month, day=min(value.day, calendar.monthrange(year, month)[1]))


def _number(sql: str, of: Callable[[int], Any]) -> Callable[[random.Random], Moved]:
    def draw(rng: random.Random) -> Moved:
        n = rng.choice([-12, -5, -3, -1, 0, 1, 4])
        sign, size = ("-", of(-n)) if n < 0 else ("+", of(n))
        distance = of(n)
        back = f" {'+' if n < 0 else '-'} {sql.format(size)}" if isinstance(distance, int) else None
        return Moved(f" {sign} {sql.format(size)}", lambda value: value + distance, back)

    return draw


def _interval(units: dict[str, dt.timedelta]) -> Callable[[random.Random], Moved]:
    def draw(rng: random.Random) -> Moved:
        unit = rng.choice([*units, "MONTH", "YEAR"])
        n = rng.choice([1, 2, 5]) if unit in units else 1
        sign = rng.choice("--+")
        signed = -n if sign == "-" else n
        move = (
            (lambda value: _add_months(value, signed * (12 if unit == "YEAR" else 1)))
            if unit not in units
            else lambda value: value + signed * units[unit]
        )
        back = f" {'+' if sign == '-' else '-'} INTERVAL {n} HOUR" if unit == "HOUR" else None
        return Moved(f" {sign} INTERVAL {n} {unit}", move, back)

    return draw


@dataclass(frozen=True)
class TimeKind:
    """`of` makes a time of a small number. `moved`: none for types that have no distances."""

    of: Callable[[int], Any]
    moved: Callable[[random.Random], Moved] | None = None
    widens: bool = False
    """Whether a sum has a wider type, to which the time is then cast."""


def _double(n: int) -> float:
    return {0: -math.inf, 1: -0.0, 2: 0.0, 23: math.inf, 24: math.nan}.get(n, n / 2)


def _stamp(n: int) -> dt.datetime:
    return _STARTS[n // 9] + dt.timedelta(hours=7 * (n % 9), minutes=30 * (n % 2))


_HOURS = {"HOUR": dt.timedelta(hours=1), "DAY": dt.timedelta(days=1)}

TIMES: dict[str, TimeKind] = {
    "smallint": TimeKind(lambda n: n - 9),
    "int": TimeKind(lambda n: n - 9, _number("{}", int)),
    "bigint": TimeKind(lambda n: n * 10**15, _number("{}", lambda n: n * 10**15)),
    "double": TimeKind(_double, _number("CAST({} AS DOUBLE)", lambda n: n / 2)),
    "float": TimeKind(_double),
    "decimal(10,2)": TimeKind(lambda n: Decimal(n) / 4, _number("{:.2f}", lambda n: Decimal(n) / 4), widens=True),
    "decimal(38,3)": TimeKind(lambda n: Decimal(f"{n}000000000000000000000.125")),
    "string": TimeKind(lambda n: f"{'aé😀'[n % 3]}{n:02}"),
    "date": TimeKind(lambda n: dt.date(2024, 2, 20) + dt.timedelta(days=n), _interval({"DAY": dt.timedelta(days=1)})),
    "timestamp": TimeKind(_stamp, _interval(_HOURS)),
    "timestamp_ntz": TimeKind(_stamp, _interval(_HOURS)),
}

WIDER = {"smallint": "bigint", "int": "bigint", "float": "double", "decimal(10,2)": "decimal(20,4)"}
"""Types of times on the left that compare exactly with those on the right."""


def rank(value: Any) -> Any:
    """A value that compares as SQL compares: NaN is greater than all numbers, and equals itself."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value)
    return value
