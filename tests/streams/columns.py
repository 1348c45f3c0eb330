"""The columns of the random streams, and rows for them."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

ARROW = pa.schema(
    [
        ("id", pa.int64()),
        ("ts", pa.timestamp("us", tz="UTC")),
        ("k", pa.string()),
        ("g", pa.int32()),
        ("price", pa.decimal128(9, 2)),
        ("x", pa.float64()),
        ("n", pa.int64()),
        ("s", pa.string()),
        ("d", pa.decimal128(12, 3)),
        ("wide", pa.decimal128(38, 10)),
        ("b", pa.bool_()),
    ]
)
SQL = (
    "id BIGINT, ts TIMESTAMP, k STRING, g INT, price DECIMAL(9,2), x DOUBLE, n BIGINT, s STRING, d DECIMAL(12,3), "
    "wide DECIMAL(38,10), b BOOLEAN"
)
BEGIN = datetime(2024, 3, 9, 23, 59, tzinfo=UTC)
FAR = timedelta(days=30)


def random_batches(rng: random.Random, rows: int, batches: int) -> list[list[dict[str, Any]]]:
    """Rows that come in some disorder, many of one time, cut at random; the last one ends the stream for all keys."""
    step = rng.choice([1, 1, 3])
    disorder = rng.choice([0, 5, 60])
    keys = rng.choice([1, 3, 3, 40])
    times = [i // step + rng.choice([0, 0, rng.uniform(-disorder, disorder), -disorder]) for i in range(rows)]
    if rng.random() < 0.6:
        times = [float(round(t)) for t in times]  # ties
    made = [_row(rng, i, time, keys) for i, time in enumerate(times)]
    cuts = sorted(rng.sample(range(1, rows), batches - 1))
    parts = [made[a:b] for a, b in zip([0, *cuts], [*cuts, rows], strict=True)]
    last = _row(rng, rows, 0.0, keys)
    return [*parts, [last | {"ts": BEGIN + FAR}]]


def _row(rng: random.Random, number: int, seconds: float, keys: int) -> dict[str, Any]:
    def or_null(value: Any, share: float = 0.15) -> Any:
        return None if rng.random() < share else value

    time = BEGIN + timedelta(seconds=seconds, microseconds=0 if seconds == round(seconds) else rng.randrange(1000))
    return {
        "id": number,
        "ts": or_null(time, 0.03),
        "k": or_null(rng.choice(["", "a", "b", "ccccccccccccc"]) + str(rng.randrange(keys)), 0.1),
        "g": or_null(rng.randrange(2), 0.1),
        "price": or_null(Decimal(rng.randrange(keys)) / 100, 0.1),
        "x": or_null(rng.choice([rng.uniform(-1, 1), rng.randrange(-999, 999) / 8, float("nan"), -0.0])),
        "n": or_null(rng.choice([rng.randrange(10), rng.randrange(-(10**12), 10**12)])),
        "s": or_null(rng.choice(["", "x", "yy", "a long word of this table " * 3]) + str(rng.randrange(9))),
        "d": or_null(Decimal(rng.randrange(-(10**9), 10**9)) / 1000),
        "wide": or_null(Decimal(rng.randrange(-(10**17), 10**17)).scaleb(-10)),
        "b": or_null(rng.random() < 0.5),
    }
