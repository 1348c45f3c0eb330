"""The tables that the queries read: one row a second on average, in the order of time and in a random order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

IN_TIME, AT_RANDOM = "by time", "random"
ORDERS = [IN_TIME, AT_RANDOM]
"""Of the rows in the file."""

_SEED = 20_261_123
_FIRST = np.datetime64("2026-01-01T00:00:00", "us")
_MICROS = 1_000_000
_HOT, _KEYS = 0.9, 1_000
_ROW_GROUPS = 128
_MOST_ROWS = 1_000_000


def table(rows: int, order: str, cache: Path) -> Path:
    """A file of `t(ts timestamp, k int, x int)`, in row groups small enough that a scan splits evenly over many tasks.

    Each `ts` is at another second, which is the row's number or at random, and at a random microsecond of it. Nine of
    ten rows have the key 0; the others share 1,000 keys. `x` is uniform in -1,000 to 1,000.
    """
    path = cache / f"scale-rows={rows}-{order.split()[-1]}.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        _write(rows, order, unfinished)
        unfinished.rename(path)
    return path


def _write(rows: int, order: str, path: Path) -> None:
    random = np.random.default_rng(_SEED)
    at_once = max(1, min(rows // _ROW_GROUPS, _MOST_ROWS))
    seconds = random.permutation(np.arange(rows, dtype=np.int32)) if order == AT_RANDOM else None
    writer = None
    for first in range(0, rows, at_once):
        until = min(first + at_once, rows)
        own = np.arange(first, until) if seconds is None else seconds[first:until]
        made = _generate(own.astype(np.int64), random)
        writer = writer or pq.ParquetWriter(path, made.schema)
        writer.write_table(made)
    if writer is not None:
        writer.close()


def _generate(seconds: np.ndarray, random: np.random.Generator) -> pa.Table:
    rows = len(seconds)
    times = seconds * _MICROS + random.integers(0, _MICROS, rows)
    cold = random.integers(1, _KEYS + 1, rows, dtype=np.int32)
    return pa.table(
        {
            "ts": pa.array(_FIRST + times.astype("timedelta64[us]"), pa.timestamp("us", "UTC")),
            "k": np.where(random.random(rows) < _HOT, np.int32(0), cold),
            "x": random.integers(-1_000, 1_001, rows, dtype=np.int32),
        }
    )
