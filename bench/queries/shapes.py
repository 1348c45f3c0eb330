"""Other tables, windows and aggregates than the plain ones, over frames of a few lengths: Spark beside Slidewise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from cases import SHAPES, Case, Frame, Same
from data import KEYS, Change, Shape

LENGTHS = (2, 10, 1_000)
_HOUR = 3_600_000_000
_STRINGS, _NUMBERS = 13, 13


def shapes(rows: int) -> list[Case]:
    """Every shape over a quarter of the rows, but that of many keys, which has them all."""
    return [case for length in LENGTHS for case in _over(length, rows)]


def _over(n: int, rows: int) -> list[Case]:
    quarter = rows // 4

    def case(label: str, function: str = "sum(x)", rows: int = quarter, **more: Any) -> Case:
        return Case(SHAPES, label, function, more.pop("frame", Frame.ROWS), n, rows, **more)

    to_go = Shape(f"keys-of-{2 * n}", _keys_of(2 * n), rows_per_key=2 * n)
    return [
        case(f"{rows // 10:,} keys of 10 rows", rows=rows, shape=_MANY_KEYS),
        case("one key with 90 % of the rows", shape=_SKEWED),
        case("rows of 30 columns, half of them strings", shape=_WIDE),
        case("no partition keys", shape=_WHOLE),
        case("a string as partition key", shape=_STRING_KEY),
        case("a string as order", shape=_STRING_ORDER),
        case("two order columns, one descending", shape=_TWO_ORDERS),
        case("RANGE over an hour of timestamps", frame=Frame.RANGE, shape=_hours(n)),
        case("five windows in one query", also=_FIVE, digest="a + b0 + b1 + b2 + b3"),
        case("UNBOUNDED FOLLOWING, keys of twice as many rows", frame=Frame.SHRINKING, shape=to_go),
        case("sum with FILTER", "sum(x) FILTER (WHERE v < 500)"),
        case("max_by", "max_by(v, x)", same=Same.EXACTLY),
        case("approx_count_distinct", "approx_count_distinct(v)", same=Same.EXACTLY),
        case("an Aggregator of Spark's Scala API", "typed_sum(x)"),
        case("decimal(38,10)", "sum(CAST(v AS decimal(38,10)))", same=Same.EXACTLY),
    ]


_FIVE = (("avg(x)", 2), ("min(x)", 3), ("max(x)", 4), ("count(x)", 5))


def _keys_of(rows_per_key: int) -> Change:
    def change(plain: pa.Table, random: np.random.Generator) -> pa.Table:
        keys = np.arange(len(plain), dtype=np.int32) // rows_per_key
        return replaced(plain, k=random.permutation(keys))

    return change


def _skew(plain: pa.Table, random: np.random.Generator) -> pa.Table:
    k = np.where(random.random(len(plain)) < 0.9, 0, random.integers(1, KEYS, len(plain)))
    return replaced(plain, k=k.astype(np.int32))


def _widen(plain: pa.Table, random: np.random.Generator) -> pa.Table:
    strings = {f"s{i}": named(random.integers(0, 1_000_000, len(plain)), f"value {i}") for i in range(_STRINGS)}
    return replaced(plain, **strings, **{f"d{i}": random.random(len(plain)) for i in range(_NUMBERS)})


def named(numbers: Any, kind: str) -> list[str]:
    return [f"{kind} {number:09}" for number in numbers]


def _hours(length: int) -> Shape:
    """Timestamps so dense that a key has so many rows an hour."""

    def change(plain: pa.Table, _: np.random.Generator) -> pa.Table:
        micros = plain["ts"].to_numpy() * (_HOUR // (length * KEYS))
        return replaced(plain, at=pa.array(micros).cast(pa.timestamp("us", "UTC")))

    return Shape(f"hour-of-{length}", change, order_by="at", reach="INTERVAL '1' HOUR")


def replaced(plain: pa.Table, **columns: Any) -> pa.Table:
    for name, values in columns.items():
        kept = plain.drop_columns(name) if name in plain.column_names else plain
        plain = kept.append_column(name, pa.array(values))
    return plain


_MANY_KEYS = Shape("keys-of-10", _keys_of(10), rows_per_key=10)
_SKEWED = Shape("skewed", _skew, largest=0.9)
_WHOLE = Shape("whole", partition_by="", largest=1.0)
_WIDE = Shape("wide", _widen)
_STRING_KEY = Shape(
    "string-key", lambda plain, _: replaced(plain, name=named(plain["k"].to_numpy(), "customer")), partition_by="name"
)
_STRING_ORDER = Shape(
    "string-order", lambda plain, _: replaced(plain, name=named(plain["ts"].to_numpy(), "order")), order_by="name"
)
_TWO_ORDERS = Shape(
    "two-orders",
    lambda plain, _: replaced(plain, day=(plain["ts"].to_numpy() // 1_000).astype(np.int32)),
    order_by="day DESC, ts",
)
