"""The tables that the queries run over, each made once for each number of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from shared.parquet import kept

KEYS = 8
"""How many partitions a window has, unless its shape says otherwise."""

_SEED = 20_260_711

Change = Callable[[pa.Table, np.random.Generator], pa.Table]


@dataclass(frozen=True)
class Shape:
    """A table unlike the plain one, and how a query cuts and orders it.

    `rows_per_key` is None where the table's rows are spread over KEYS keys. `reach` is a RANGE frame's, in SQL.
    """

    name: str
    change: Change | None = None
    partition_by: str = "k"
    order_by: str = "ts"
    rows_per_key: int | None = None
    reach: str | None = None
    largest: float | None = None
    """Which part of all rows the largest key has, if it has most of them."""

    def partition(self, rows: int) -> float:
        """Rows of the key that a row most often belongs to."""
        if self.largest:
            return rows * self.largest
        return self.rows_per_key or rows / KEYS


PLAIN = Shape("plain")


def table(rows: int, cache: Path, shape: Shape = PLAIN) -> Path:
    """A Parquet file of so many rows: `k int, ts bigint, x double, v bigint`, in an order unlike that of ts.

    ts runs through 0 … rows - 1, so that 8 units of ts hold one row of a key on average.
    """
    name = f"rows={rows}" if shape is PLAIN else f"{shape.name}-rows={rows}"
    return kept(cache / f"{name}.parquet", lambda: _generate(rows, shape))


def _generate(rows: int, shape: Shape) -> pa.Table:
    random = np.random.default_rng(_SEED)
    plain = pa.table(
        {
            "k": random.integers(0, KEYS, rows, dtype=np.int32),
            "ts": random.permutation(np.arange(rows, dtype=np.int64)),
            "x": random.random(rows),
            "v": random.integers(0, 1000, rows, dtype=np.int64),
        }
    )
    return shape.change(plain, random) if shape.change else plain


def smaller(rows: int) -> list[int]:
    """Round numbers of rows from the given one down to some 10,000, for what takes too long on all of them."""
    sizes = [rows]
    divisors = [d * 10**p for p in range(3) for d in (2, 4, 10)]
    return sizes + [rows // d for d in divisors if rows // d >= 10_000]
