"""The table that every query runs over, made once for each number of rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

KEYS = 8
"""How many partitions every window has."""

_SEED = 20_260_711


def table(rows: int, cache: Path) -> Path:
    """A Parquet file of so many rows: `k int, ts bigint, x double, v bigint`, in an order unlike that of ts.

    ts runs through 0 … rows - 1, so that 8 units of ts hold one row of a key on average.
    """
    path = cache / f"rows={rows}.parquet"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        # Row groups small enough that a scan splits evenly over the cores.
        pq.write_table(_generate(rows), unfinished, row_group_size=max(rows // 16, 1))
        unfinished.rename(path)
    return path


def _generate(rows: int) -> pa.Table:
    random = np.random.default_rng(_SEED)
    return pa.table(
        {
            "k": random.integers(0, KEYS, rows, dtype=np.int32),
            "ts": random.permutation(np.arange(rows, dtype=np.int64)),
            "x": random.random(rows),
            "v": random.integers(0, 1000, rows, dtype=np.int64),
        }
    )


def smaller(rows: int) -> list[int]:
    """Round numbers of rows from the given one down to some 10,000, for what takes too long on all of them."""
    sizes = [rows]
    divisors = [d * 10**p for p in range(3) for d in (2, 4, 10)]
    return sizes + [rows // d for d in divisors if rows // d >= 10_000]
