"""Random columns: every type that a window query meets, over four kinds of domain."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

ARROW = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal(7,2)": pa.decimal128(7, 2),
    "decimal(18,4)": pa.decimal128(18, 4),
    "decimal(38,10)": pa.decimal128(38, 10),
    "string": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "binary": pa.binary(),
}
INTEGRAL = ("tinyint", "smallint", "int", "bigint")
FRACTIONAL = ("float", "double")
DECIMAL = ("decimal(7,2)", "decimal(18,4)", "decimal(38,10)")
NUMERIC = INTEGRAL + FRACTIONAL + DECIMAL
TEMPORAL = ("date", "timestamp", "timestamp_ntz")

# small: few distinct values, so many duplicates; wide: few duplicates; extreme: the ends of the type;
# special: NaN, infinities and signed zeros, for the types that have them.
DOMAINS = ("small", "wide", "extreme", "special")

BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
SHAPE = {"decimal(7,2)": (7, 2), "decimal(18,4)": (18, 4), "decimal(38,10)": (38, 10)}


@dataclass(frozen=True)
class Column:
    name: str
    kind: str
    domain: str
    values: list[Any]

    @property
    def magnitude(self) -> float:
        """The largest finite absolute value, which scales the tolerance of a floating-point answer."""
        finite = [abs(float(v)) for v in self.values if v is not None and math.isfinite(float(v))]
        return max(finite, default=1.0)

    @property
    def arrow(self) -> pa.Array:
        return pa.array(self.values, type=ARROW[self.kind])


def random_column(rng: random.Random, name: str, kind: str, domain: str, rows: int) -> Column:
    if domain == "special" and kind not in FRACTIONAL:
        domain = "small"
    draw = _draw(rng, kind, domain)
    nulls = rng.choice([0.0, 0.0, 0.1, 0.1, 0.5, 0.9])
    if rng.random() < 0.02:
        nulls = 1.0
    return Column(name, kind, domain, [None if rng.random() < nulls else draw() for _ in range(rows)])


def _draw(rng: random.Random, kind: str, domain: str) -> Callable[[], Any]:
    if kind in INTEGRAL:
        return _integral(rng, BITS[kind], domain)
    if kind in FRACTIONAL:
        return _fractional(rng, kind, domain)
    if kind in DECIMAL:
        return _decimal(rng, *SHAPE[kind], domain)
    if kind in TEMPORAL:
        return _temporal(rng, kind, domain)
    if kind == "string":
        words = ["", "a", "b", "B", "ab", "a ", "é", "Ω", "zz", "😀", "0", "-1"]
        if domain == "small":
            return lambda: rng.choice(words[:4])
        return lambda: rng.choice(words) + (str(rng.randrange(100)) if domain == "wide" else "")
    if kind == "binary":
        size = 1 if domain == "small" else 4
        return lambda: rng.randbytes(rng.randrange(size + 1))
    return lambda: rng.random() < 0.5


def _integral(rng: random.Random, bits: int, domain: str) -> Callable[[], int]:
    top = 2 ** (bits - 1) - 1
    if domain == "small":
        return lambda: rng.randint(-3, 4)
    if domain == "wide":
        return lambda: rng.randint(-min(top, 1000), min(top, 1000))
    return lambda: rng.choice([top, -top - 1, top - 1, -top, top // 2, 1, 0, -1, -5])


def _fractional(rng: random.Random, kind: str, domain: str) -> Callable[[], float]:
    if domain == "small":
        return lambda: rng.randint(-8, 8) / 4
    if domain == "wide":
        if rng.random() < 0.5:
            return lambda: rng.randint(-8000, 8000) / 8
        return lambda: _as(kind, rng.uniform(-1000, 1000))
    if domain == "special":
        odd = [math.nan, math.inf, -math.inf, -0.0, 0.0]
        share = rng.choice([0.05, 0.3, 0.9])
        return lambda: rng.choice(odd) if rng.random() < share else rng.randint(-4, 4) / 2
    top = 3.4028234663852886e38 if kind == "float" else 1.7976931348623157e308
    tiny = 1.401298464324817e-45 if kind == "float" else 5e-324
    return lambda: rng.choice([top, -top, tiny, -tiny, 1.0, -1.0, 0.0])


def _as(kind: str, value: float) -> float:
    return float(pa.scalar(value, pa.float32()).as_py()) if kind == "float" else value


def _decimal(rng: random.Random, precision: int, scale: int, domain: str) -> Callable[[], Decimal]:
    def unscaled(n: int) -> Decimal:
        return Decimal(f"{n}E-{scale}")

    if domain == "small":
        return lambda: unscaled(rng.randint(-6, 6) * 10**scale // 2)
    if domain == "wide":
        return lambda: unscaled(rng.randint(-1000 * 10**scale, 1000 * 10**scale))
    top = 10**precision - 1
    return lambda: unscaled(rng.choice([top, -top, top - 1, top // 2, 1, 0, -1, 10**scale]))


def _temporal(rng: random.Random, kind: str, domain: str) -> Callable[[], Any]:
    # Around the end of February of a leap year and the start of summer time in New York.
    start = dt.datetime(2024, 2, 20, tzinfo=dt.timezone.utc if kind == "timestamp" else None)
    if domain == "small":
        step, count = dt.timedelta(hours=12 if kind != "date" else 24), 12
    elif domain == "wide":
        step, count = dt.timedelta(seconds=1234.567891) if kind != "date" else dt.timedelta(days=1), 3000
    else:
        step, count = dt.timedelta(days=1000, hours=7), 2800
        start = start.replace(year=1700)

    def draw() -> Any:
        moment = start + step * rng.randrange(count)
        return moment.date() if kind == "date" else moment

    return draw
